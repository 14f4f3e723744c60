#include "CWebPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Hub/index.html"
};
static const unsigned char icon_svg[] = {
#embed "Hub/icon.svg"
};
static const unsigned char hub_css[] = {
#embed "Hub/hub.css"
};
static const unsigned char app_js[] = {
#embed "Hub/app.js"
};
static const unsigned char chart_js[] = {
#embed "Hub/chart.js"
};
static const unsigned char edit_js[] = {
#embed "Hub/edit.js"
};
static const unsigned char format_js[] = {
#embed "Hub/format.js"
};
static const unsigned char language_js[] = {
#embed "Hub/language.js"
};
static const unsigned char lists_js[] = {
#embed "Hub/lists.js"
};
static const unsigned char person_js[] = {
#embed "Hub/person.js"
};

static const unsigned char start_js[] = {
#embed "Hub/start.js"
};

static const struct web_file files[] = {
    {"index.html", index_html, sizeof index_html},
    {"hub/icon.svg", icon_svg, sizeof icon_svg},
    {"hub/hub.css", hub_css, sizeof hub_css},
    {"hub/app.js", app_js, sizeof app_js},
    {"hub/chart.js", chart_js, sizeof chart_js},
    {"hub/edit.js", edit_js, sizeof edit_js},
    {"hub/format.js", format_js, sizeof format_js},
    {"hub/language.js", language_js, sizeof language_js},
    {"hub/lists.js", lists_js, sizeof lists_js},
    {"hub/person.js", person_js, sizeof person_js},
    {"hub/start.js", start_js, sizeof start_js},
    {0, 0, 0},
};

const struct web_file *web_hub_file_list(void) { return files; }
