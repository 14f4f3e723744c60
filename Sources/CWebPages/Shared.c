#include "CWebPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler puts the files in (C23 `#embed`), and builds this again when one changes.
static const struct web_file files[] = {
    {"shared/api.js", (const unsigned char[]){
#embed "Shared/api.js" suffix(, 0)
    }, 0},
    {"shared/dom.js", (const unsigned char[]){
#embed "Shared/dom.js" suffix(, 0)
    }, 0},
    {"shared/icons.js", (const unsigned char[]){
#embed "Shared/icons.js" suffix(, 0)
    }, 0},
    {"shared/icons.svg", (const unsigned char[]){
#embed "Shared/icons.svg" suffix(, 0)
    }, 0},
    {"shared/phrases.js", (const unsigned char[]){
#embed "Shared/phrases.js" suffix(, 0)
    }, 0},
    {"shared/plot.js", (const unsigned char[]){
#embed "Shared/plot.js" suffix(, 0)
    }, 0},
    {"shared/reader.js", (const unsigned char[]){
#embed "Shared/reader.js" suffix(, 0)
    }, 0},
    {"shared/stream.js", (const unsigned char[]){
#embed "Shared/stream.js" suffix(, 0)
    }, 0},
    {"shared/style.css", (const unsigned char[]){
#embed "Shared/style.css" suffix(, 0)
    }, 0},
    {"shared/worker.js", (const unsigned char[]){
#embed "Shared/worker.js" suffix(, 0)
    }, 0},
    {0, 0, 0},
};

const struct web_file *web_shared_file_list(void) { return files; }
