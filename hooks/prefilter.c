/* Leaves the calls that pass for certain; everything else goes, byte for byte, to the launcher.
 *
 * It decides only where Python is certain to say nothing and write nothing, so it knows little: a
 * tool that reads nothing, a Read of a file that is missing, small or rendered by the client, a
 * command without a word of the table.
 *
 * `ctx install` puts the tables in front of this text, made from the Python modules, and compiles
 * both (core/priced_context/prefilter.py): LAUNCHER, SMALL_BYTES, RENDERED, READING_WORDS (in
 * order), LONGEST_WORD, and KINDS: what each ASCII character does to a word (see is_wordless). */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
enum { STDIN_LIMIT_MS = 2000, LONGEST_PATH = 4096 };
/* CPython gives up near a depth of 1,000, and at a number of 640 digits at the least. */
enum { DEEPEST = 64, LONGEST_NUMBER = 600 };

/* A member of an object that is looked for, and where its JSON begins; NULL: missing. */
typedef struct {
    const char *name, *value;
} Field;

/* The payload ends in a NUL. Each skip_… returns where what begins at `at` ends, or NULL where it
 * is not JSON, or a form that the client hardly ever sends: Python knows those. */
static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\n\r"); }

static const char *skip_literal(const char *at, const char *literal) {
    size_t length = strlen(literal);
    return strncmp(at, literal, length) ? NULL : at + length;
}

static const char *skip_number(const char *at) { /* whole ones */
    at += *at == '-';
    size_t digits = strspn(at, "0123456789");
    return digits && digits <= LONGEST_NUMBER && (*at != '0' || digits == 1) ? at + digits : NULL;
}

static const char *skip_string(const char *at) { /* without `\u` */
    if (*at != '"')
        return NULL;
    for (at++; *at != '"'; at++)
        if ((unsigned char)*at < ' ' || (*at == '\\' && !memchr("\"\\/bfnrt", *++at, 8)))
            return NULL;
    return at + 1;
}

/* Keep the value if its name is looked for; of a name that stands twice the last counts, as in
 * Python. No name that we look for can be spelt with an escape other than `\u`. */
static void keep(const char *name, const char *value, Field *fields, int count) {
    for (int i = 0; i < count; i++) {
        const char *rest = skip_literal(name + 1, fields[i].name);
        if (rest && *rest == '"')
            fields[i].value = value;
    }
}

/* Skip one value; of an object, keep the members looked for. */
static const char *skip_value(const char *at, int depth, Field *fields, int count) {
    if (depth == DEEPEST)
        return NULL;
    if (*at == '"')
        return skip_string(at);
    if (*at != '{' && *at != '[') {
        const char *literal = *at == 't' ? "true" : *at == 'f' ? "false" : *at == 'n' ? "null" : "";
        return *literal ? skip_literal(at, literal) : skip_number(at);
    }
    bool is_object = *at == '{';
    char close = is_object ? '}' : ']';
    at = skip_blanks(at + 1);
    if (*at == close)
        return at + 1;
    for (;; at = skip_blanks(at + 1)) {
        const char *name = at;
        if (is_object && (!(at = skip_string(name)) || *(at = skip_blanks(at)) != ':'))
            return NULL;
        const char *value = is_object ? skip_blanks(at + 1) : at;
        if (is_object)
            keep(name, value, fields, count);
        if (!(at = skip_value(value, depth + 1, NULL, 0)))
            return NULL;
        at = skip_blanks(at);
        if (*at != ',')
            return *at == close ? at + 1 : NULL;
    }
}

/* Is the text one object and nothing more? Keeps the members looked for. */
static bool is_object(const char *text, const char *end, Field *fields, int count) {
    if (text == end || !strchr("}\n", end[-1])) /* cheap, for a payload that is still coming */
        return false;
    const char *at = skip_blanks(text);
    at = *at == '{' ? skip_value(at, 0, fields, count) : NULL;
    return at && skip_blanks(at) == end;
}

static bool is_utf8(const char *text) { /* without surrogates */
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        unsigned lead = *at;
        if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4))
            return false;
        unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        int more = (lead >= 0xc2) + (lead >= 0xe0) + (lead >= 0xf0);
        for (; more; more--, low = 0x80, high = 0xbf)
            if (*++at < low || *at > high)
                return false;
    }
    return true;
}

static int order(const void *word, const void *entry) {
    return strcmp(word, *(const char *const *)entry);
}

/* Is the command sure to hold no word of the table? Asked as Python asks: as it stands, and with
 * continued lines joined. A letter beyond ASCII ends a word, which can only find more of them. */
static bool is_wordless(const char *string, bool is_joined) {
    char word[LONGEST_WORD + 2];
    size_t length = 0;
    for (const char *at = string + 1;; at++) {
        bool is_end = *at == '"';
        unsigned char letter = is_end ? ' ' : (unsigned char)*at;
        if (is_joined && skip_literal(at, "\\\\\\n")) {
            at += 3;
            continue;
        }
        if (letter == '\\')
            letter = (unsigned char)strchr("\"\"\\\\//b\bf\fn\nr\rt\t", *++at)[1];
        char kind = letter < 0x80 ? KINDS[letter] : ' ';
        if (kind == '<') /* reads without a word */
            return false;
        if (kind == 'w' && length <= LONGEST_WORD)
            word[length++] = (char)letter;
        if (kind != ' ') /* `-` vanishes from its word */
            continue;
        word[length] = 0;
        length = 0;
        if (bsearch(word, READING_WORDS, LENGTH(READING_WORDS), sizeof *READING_WORDS, order))
            return false;
        if (is_end)
            return true;
    }
}

static bool is_small(const char *string) {
    char path[LONGEST_PATH + 1];
    size_t length = (size_t)(skip_string(string) - string) - 2;
    if (length >= LONGEST_PATH)
        return false;
    memcpy(path, string + 1, length);
    memcpy(path + length, "/", 2);
    for (char *letter = path; *letter; letter++)
        if (*letter == '\\' || (unsigned char)*letter >= 0x80) /* the locale has a say in those */
            return false;
    /* Python folds these before it asks the kernel. */
    if (*path != '/' || strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../"))
        return false;
    path[length] = 0;
    for (size_t i = 0; i < LENGTH(RENDERED); i++) {
        size_t suffix = strlen(RENDERED[i]);
        if (length >= suffix && !strcasecmp(path + length - suffix, RENDERED[i]))
            return true;
    }
    struct stat found;
    if (stat(path, &found))
        return errno == ENOENT || errno == ENOTDIR;
    return !S_ISREG(found.st_mode) || found.st_size <= SMALL_BYTES;
}

static bool passes(const char *payload, const char *end) {
    Field call[] = {{"tool_name", NULL}, {"tool_input", NULL}};
    if (!is_utf8(payload) || !is_object(payload, end, call, LENGTH(call)))
        return false;
    const char *tool = call[0].value, *input = call[1].value;
    if (!tool || *tool != '"' || !input || *input != '{')
        return false;
    bool is_read = skip_literal(tool, "\"Read\"");
    if (!is_read && !skip_literal(tool, "\"Bash\"")) {
        bool is_plain = !memchr(tool, '\\', (size_t)(skip_string(tool) - tool));
        return is_plain && !skip_literal(tool, "\"Grep\"") && !skip_literal(tool, "\"mcp__");
    }
    Field field[] = {{is_read ? "file_path" : "command", NULL}};
    if (!skip_value(input, 0, field, LENGTH(field)) || !field->value || *field->value != '"')
        return false;
    if (is_read)
        return is_small(field->value);
    return is_wordless(field->value, false) && is_wordless(field->value, true);
}

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/* Read stdin to its end, to the end of one object, or to the limit; a NUL follows. */
static char *read_payload(size_t *length) {
    size_t room = 1 << 16;
    char *bytes = malloc(room);
    long left_ms, end_ms = now_ms() + STDIN_LIMIT_MS;
    for (*length = 0; bytes;) {
        struct pollfd wait = {.fd = 0, .events = POLLIN};
        int ready = (left_ms = end_ms - now_ms()) > 0 ? poll(&wait, 1, (int)left_ms) : 0;
        size_t asked = room - 1 - *length;
        ssize_t got = ready > 0 ? read(0, bytes + *length, asked) : ready;
        if (got < 0 && errno == EINTR)
            continue;
        *length += got > 0 ? (size_t)got : 0;
        bytes[*length] = 0;
        bool is_full = got == (ssize_t)asked || got >= 1 << 16; /* a pipe's most: more to come */
        if (got <= 0 || (!is_full && is_object(bytes, bytes + *length, NULL, 0)))
            return bytes;
        if (*length == room - 1)
            bytes = realloc(bytes, room *= 2);
    }
    return NULL;
}

/* Become the launcher, with the payload on stdin again. Returns only where that fails. */
static void hand_over(const char *payload, size_t length) {
#ifdef __linux__
    int handle = memfd_create("payload", 0);
#else
    FILE *file = tmpfile();
    int handle = file ? fileno(file) : -1;
#endif
    if (write(handle, payload, length) != (ssize_t)length || lseek(handle, 0, SEEK_SET))
        return;
    if (dup2(handle, 0) == 0 && handle)
        close(handle);
    execv(LAUNCHER, (char *[]){LAUNCHER, NULL});
}

int main(void) {
    size_t length;
    char *payload = read_payload(&length);
    if (payload && !passes(payload, payload + length))
        hand_over(payload, length);
    return 0;
}
