#!/bin/sh
# Sets up priced context on this machine; run again to update. Asks nothing.
# usage: install.sh [--dry-run] [--uninstall] [--settings FILE] [--no-register]
#   --dry-run        say what would be done, change nothing
#   --uninstall      remove everything that this script made
#   --settings FILE  the client's settings, where they are not the usual file
#   --no-register    make everything but leave the client's settings alone
set -eu
newline='
'

main() {
    read_options "$@"
    find_places
    if [ "$action" = uninstall ]; then
        uninstall
        return
    fi
    find_python
    [ "$no_register" ] || check_settings
    if [ "$dry_run" ]; then
        rehearse
        return
    fi
    trap 'take_back $?' EXIT
    trap 'exit 130' INT TERM HUP
    make_environment
    link_command
    printf '%s\n' "$made" >"$venv/made"
    "$venv/bin/ctx" install ${settings:+"--settings=$settings"} ${no_register:+--no-register}
    trap - EXIT
    say "Undo everything: $checkout/install.sh --uninstall${settings:+ --settings $settings}"
}

say() { printf '%s\n' "$*"; }

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

read_options() {
    action=install dry_run='' settings='' no_register=''
    while [ $# -gt 0 ]; do
        case $1 in
        --dry-run) dry_run=yes ;;
        --uninstall) action=uninstall ;;
        --no-register) no_register=yes ;;
        --settings)
            [ $# -gt 1 ] || fail "--settings needs a file after it"
            case $2 in /*) settings=$2 ;; *) settings=$PWD/$2 ;; esac
            shift
            ;;
        -h | --help)
            sed -n '2,7s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *)
            printf 'install.sh: no option %s; --help lists them\n' "$1" >&2
            exit 2
            ;;
        esac
        shift
    done
}

# The folders are those of platformdirs' user_data_dir and user_state_dir("priced-context").
find_places() {
    [ "${HOME:-}" ] || fail "HOME is not set: it says where to install"
    checkout=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
    if [ "${XDG_DATA_HOME:-}" ]; then
        data=$XDG_DATA_HOME/priced-context
    elif [ "$(uname)" = Darwin ]; then
        data="$HOME/Library/Application Support/priced-context"
    else
        data=$HOME/.local/share/priced-context
    fi
    if [ "${XDG_STATE_HOME:-}" ]; then
        state=$XDG_STATE_HOME/priced-context
    elif [ "$(uname)" = Darwin ]; then
        state="$HOME/Library/Application Support/priced-context"
    else
        state=$HOME/.local/state/priced-context
    fi
    venv=$data/venv
    link=$HOME/.local/bin/ctx
    client=${settings:-${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json}
    made=$(cat "$venv/made" 2>/dev/null || :)
    had_venv='' had_state=''
    [ ! -e "$venv" ] || had_venv=yes
    [ ! -e "$state" ] || had_state=yes
}

find_python() {
    for python in python3 python3.13 python3.12 python3.11 python3.14; do
        python=$(command -v "$python") || continue
        ! is_new_enough "$python" || return 0
    done
    python='>=3.11' # uv brings one
    command -v uv >/dev/null 2>&1 ||
        fail "no Python 3.11 or later and no uv on PATH: install one of them and run this again"
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# What is wrong with the settings is best known before minutes go into an environment.
check_settings() {
    [ "$python" != '>=3.11' ] || return 0
    found=$("$python" -c '
import json, os, sys
name = folder = os.path.abspath(sys.argv[1])
while not os.path.exists(folder):
    folder = os.path.dirname(folder)
if folder != name:
    if not os.path.isdir(folder):
        print(f"{folder} is no folder")
    elif not os.access(folder, os.W_OK):
        print(f"{folder} cannot be written")
elif not os.path.isfile(name):
    print("not a regular file")
else:
    try:
        with open(name, encoding="utf-8-sig") as file:
            text = file.read()
        json.loads(text) if text.strip() else None
    except json.JSONDecodeError as error:
        print(f"not JSON at line {error.lineno}, column {error.colno}")
    except (OSError, ValueError, RecursionError) as error:
        print(error)
' "$client") || found=''
    [ -z "$found" ] || fail "$client: $found. Nothing was changed"
}

rehearse() {
    if [ "$had_venv" ]; then verb='would update  '; else verb='would make    '; fi
    say "$verb  $venv, from $checkout with $python"
    if is_ours_or_free; then say "would link      $link"; else say "no link         $link is something else"; fi
    say "would write     $state: the hooks, and what they remember"
    if [ ! "$no_register" ]; then
        say "would register  in $client: a hook on reads (PreToolUse), one on compaction"
        say "                (PreCompact), and a status line, after your own if you have one"
    fi
    say "Nothing was changed."
}

# Makes a folder and the parents that are missing, and notes them: undoing removes no other.
make_folder() {
    if [ -z "$1" ] || [ -d "$1" ]; then return 0; fi
    make_folder "${1%/*}" && mkdir -p "$1" || return 1
    case $1 in *"$newline"*) ;; *) made=$1$newline$made ;; esac # a name of two lines would be two names
}

make_environment() {
    say "environment  $venv"
    make_folder "$data" || fail "cannot make $data: check its permissions"
    if command -v uv >/dev/null 2>&1; then
        is_new_enough "$venv/bin/python" || uv venv --quiet --clear --python "$python" "$venv"
        uv pip install --quiet --python "$venv/bin/python" --reinstall-package priced-context \
            "$checkout" || fail "uv could not install the package: see its words above"
    else
        is_new_enough "$venv/bin/python" || "$python" -m venv --clear "$venv" ||
            fail "$python cannot make environments: install its venv package (Debian: python3-venv), or uv"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$checkout" ||
            fail "pip could not install the package: see its words above"
    fi
}

is_ours_or_free() {
    # -e alone is false for a link that leads nowhere yet, and that one is the user's too
    { [ ! -e "$link" ] && [ ! -L "$link" ]; } || [ "$(readlink "$link")" = "$venv/bin/ctx" ]
}

link_command() {
    if ! is_ours_or_free; then
        say "no link      $link is something else; call $venv/bin/ctx"
        return
    fi
    if make_folder "${link%/*}" && ln -sf "$venv/bin/ctx" "$link"; then
        say "command      $link"
        case :$PATH: in *:"${link%/*}":*) ;; *) say "             is not on PATH yet: export PATH=\"${link%/*}:\$PATH\"" ;; esac
    else
        say "no link      ${link%/*} cannot be written; call $venv/bin/ctx"
    fi
}

# What an installation that failed has made goes again; an update leaves what there was.
take_back() {
    trap - EXIT
    if [ "$had_venv" ]; then
        say "not done     $venv stands: run install.sh again, or install.sh --uninstall"
    else
        [ "$had_state" ] || "$venv/bin/ctx" uninstall ${settings:+"--settings=$settings"} >/dev/null 2>&1 || :
        remove_made
        say "taken back   nothing is installed"
    fi
    exit "$1"
}

remove_made() {
    [ "$(readlink "$link" || :)" != "$venv/bin/ctx" ] || rm -f "$link"
    rm -rf "$venv"
    rmdir "$data" 2>/dev/null || :
    printf '%s\n' "$made" | while IFS= read -r folder; do
        rmdir "$folder" 2>/dev/null || : # others have put files there
    done
}

# Whether the state folder or our line in the client's settings stands without the environment.
is_left() {
    [ ! -e "$state/launch" ] || return 0
    grep -Eqs "/priced-context/(launch|prefilter|precompact|posttooluse|statusline)'?\"" \
        "$client"
}

uninstall() {
    if [ ! -e "$venv" ] && ! is_left; then
        say "nothing is installed in $data"
        return
    fi
    [ -e "$venv" ] ||
        fail "$venv is gone, the hook or its state is not: run install.sh once more, then --uninstall"
    "$venv/bin/ctx" --version >/dev/null 2>&1 ||
        fail "$venv is broken: run install.sh once more, then --uninstall"
    code=0
    "$venv/bin/ctx" uninstall --by-script ${settings:+"--settings=$settings"} ${dry_run:+--dry-run} ||
        code=$?
    if [ "$dry_run" ]; then
        [ "$(readlink "$link" || :)" != "$venv/bin/ctx" ] || say "would remove $link"
        say "would remove $venv"
        return "$code"
    fi
    [ ! -e "$state/launch" ] || return "$code" # it could not be removed, and needs the environment
    remove_made
    say "removed      $venv"
    return "$code"
}

main "$@"
