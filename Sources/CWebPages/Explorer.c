#include "CWebPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Explorer/index.html"
};
static const unsigned char icon_svg[] = {
#embed "Explorer/icon.svg"
};
static const unsigned char app_js[] = {
#embed "Explorer/app.js"
};
static const unsigned char store_js[] = {
#embed "Explorer/store.js"
};
static const unsigned char devices_js[] = {
#embed "Explorer/devices.js"
};
static const unsigned char device_js[] = {
#embed "Explorer/device.js"
};
static const unsigned char attribute_js[] = {
#embed "Explorer/attribute.js"
};
static const unsigned char sensortags_js[] = {
#embed "Explorer/sensortags.js"
};
static const unsigned char air_js[] = {
#embed "Explorer/air.js"
};
static const unsigned char log_js[] = {
#embed "Explorer/log.js"
};
static const unsigned char capture_js[] = {
#embed "Explorer/capture.js"
};
static const unsigned char pairing_js[] = {
#embed "Explorer/pairing.js"
};
static const unsigned char bonds_js[] = {
#embed "Explorer/bonds.js"
};

static const struct web_file files[] = {
    {"index.html", index_html, sizeof index_html},
    {"explorer/icon.svg", icon_svg, sizeof icon_svg},
    {"explorer/app.js", app_js, sizeof app_js},
    {"explorer/store.js", store_js, sizeof store_js},
    {"explorer/devices.js", devices_js, sizeof devices_js},
    {"explorer/device.js", device_js, sizeof device_js},
    {"explorer/attribute.js", attribute_js, sizeof attribute_js},
    {"explorer/sensortags.js", sensortags_js, sizeof sensortags_js},
    {"explorer/air.js", air_js, sizeof air_js},
    {"explorer/log.js", log_js, sizeof log_js},
    {"explorer/capture.js", capture_js, sizeof capture_js},
    {"explorer/pairing.js", pairing_js, sizeof pairing_js},
    {"explorer/bonds.js", bonds_js, sizeof bonds_js},
    {0, 0, 0},
};

const struct web_file *web_explorer_file_list(void) { return files; }
