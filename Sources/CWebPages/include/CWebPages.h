#ifndef CWEBPAGES_H
#define CWEBPAGES_H

#include <stddef.h>

/// A file of a web site, part of the executable.
struct web_file {
    const char *path;
    const unsigned char *bytes;
    /// 0 if the file is text that ends before the first zero octet.
    size_t size;
};

/// Style and modules that all sites have in common. A file without a path ends the list.
const struct web_file *web_shared_file_list(void);

/// The pages of the explorer. A file without a path ends the list.
const struct web_file *web_explorer_file_list(void);

/// The pages of the health hub. A file without a path ends the list.
const struct web_file *web_hub_file_list(void);

#endif
