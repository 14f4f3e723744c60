#include "CWebPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler puts the files in (C23 `#embed`), and builds this again when one changes.
static const unsigned char style_css[] = {
#embed "Shared/style.css"
};
static const unsigned char dom_js[] = {
#embed "Shared/dom.js"
};
static const unsigned char api_js[] = {
#embed "Shared/api.js"
};
static const unsigned char reader_js[] = {
#embed "Shared/reader.js"
};
static const unsigned char worker_js[] = {
#embed "Shared/worker.js"
};
static const unsigned char stream_js[] = {
#embed "Shared/stream.js"
};
static const unsigned char plot_js[] = {
#embed "Shared/plot.js"
};

static const struct web_file files[] = {
    {"shared/style.css", style_css, sizeof style_css},
    {"shared/dom.js", dom_js, sizeof dom_js},
    {"shared/api.js", api_js, sizeof api_js},
    {"shared/reader.js", reader_js, sizeof reader_js},
    {"shared/worker.js", worker_js, sizeof worker_js},
    {"shared/stream.js", stream_js, sizeof stream_js},
    {"shared/plot.js", plot_js, sizeof plot_js},
    {0, 0, 0},
};

const struct web_file *web_shared_file_list(void) { return files; }
