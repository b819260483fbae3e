/* Follows the prefilter's text: asks it about many payloads in one process.
 * stdin: a length in decimal, a newline, the bytes, and again; stdout: `p` (passes) or `h` (handed
 * over) for each. Built with FUZZ it is a libFuzzer target instead. */
#undef main

#ifdef FUZZ
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *payload = malloc(size + 1);
    memcpy(payload, data, size);
    payload[size] = 0;
    passes(payload, payload + size);
    free(payload);
    return 0;
}
#else
int main(void) {
    size_t length;
    while (scanf("%zu", &length) == 1 && getchar() == '\n') {
        char *payload = malloc(length + 1);
        if (fread(payload, 1, length, stdin) != length)
            return 1;
        payload[length] = 0;
        putchar(passes(payload, payload + length) ? 'p' : 'h');
        fflush(stdout);
        free(payload); /* an exact allocation, so that a sanitizer sees every step beyond it */
    }
    return 0;
}
#endif
