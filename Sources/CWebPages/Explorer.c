#include "CWebPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler puts the files in (C23 `#embed`), and builds this again when one changes.
static const struct web_file files[] = {
    {"explorer/advertising.js", (const unsigned char[]){
#embed "Explorer/advertising.js" suffix(, 0)
    }, 0},
    {"explorer/air.js", (const unsigned char[]){
#embed "Explorer/air.js" suffix(, 0)
    }, 0},
    {"explorer/app.js", (const unsigned char[]){
#embed "Explorer/app.js" suffix(, 0)
    }, 0},
    {"explorer/attribute.js", (const unsigned char[]){
#embed "Explorer/attribute.js" suffix(, 0)
    }, 0},
    {"explorer/bonds.js", (const unsigned char[]){
#embed "Explorer/bonds.js" suffix(, 0)
    }, 0},
    {"explorer/bytes.js", (const unsigned char[]){
#embed "Explorer/bytes.js" suffix(, 0)
    }, 0},
    {"explorer/capture.js", (const unsigned char[]){
#embed "Explorer/capture.js" suffix(, 0)
    }, 0},
    {"explorer/compare.js", (const unsigned char[]){
#embed "Explorer/compare.js" suffix(, 0)
    }, 0},
    {"explorer/device.js", (const unsigned char[]){
#embed "Explorer/device.js" suffix(, 0)
    }, 0},
    {"explorer/devices.js", (const unsigned char[]){
#embed "Explorer/devices.js" suffix(, 0)
    }, 0},
    {"explorer/editor.js", (const unsigned char[]){
#embed "Explorer/editor.js" suffix(, 0)
    }, 0},
    {"explorer/explorer.css", (const unsigned char[]){
#embed "Explorer/explorer.css" suffix(, 0)
    }, 0},
    {"explorer/icon.svg", (const unsigned char[]){
#embed "Explorer/icon.svg" suffix(, 0)
    }, 0},
    {"index.html", (const unsigned char[]){
#embed "Explorer/index.html" suffix(, 0)
    }, 0},
    {"explorer/keyboard.js", (const unsigned char[]){
#embed "Explorer/keyboard.js" suffix(, 0)
    }, 0},
    {"explorer/link.js", (const unsigned char[]){
#embed "Explorer/link.js" suffix(, 0)
    }, 0},
    {"explorer/log.js", (const unsigned char[]){
#embed "Explorer/log.js" suffix(, 0)
    }, 0},
    {"explorer/numbers.js", (const unsigned char[]){
#embed "Explorer/numbers.js" suffix(, 0)
    }, 0},
    {"explorer/overview.js", (const unsigned char[]){
#embed "Explorer/overview.js" suffix(, 0)
    }, 0},
    {"explorer/pairing.js", (const unsigned char[]){
#embed "Explorer/pairing.js" suffix(, 0)
    }, 0},
    {"explorer/row.js", (const unsigned char[]){
#embed "Explorer/row.js" suffix(, 0)
    }, 0},
    {"explorer/sensortags.js", (const unsigned char[]){
#embed "Explorer/sensortags.js" suffix(, 0)
    }, 0},
    {"explorer/store.js", (const unsigned char[]){
#embed "Explorer/store.js" suffix(, 0)
    }, 0},
    {"explorer/tile.js", (const unsigned char[]){
#embed "Explorer/tile.js" suffix(, 0)
    }, 0},
    {"explorer/timeline.js", (const unsigned char[]){
#embed "Explorer/timeline.js" suffix(, 0)
    }, 0},
    {"explorer/value.js", (const unsigned char[]){
#embed "Explorer/value.js" suffix(, 0)
    }, 0},
    {"explorer/writer.js", (const unsigned char[]){
#embed "Explorer/writer.js" suffix(, 0)
    }, 0},
    {0, 0, 0},
};

const struct web_file *web_explorer_file_list(void) { return files; }
