#ifndef CBUILD_H
#define CBUILD_H

/// The commit that a release was built from, in hexadecimal; empty in other builds.
const char *_Nonnull build_commit(void);

/// The date of that commit, as in 2026-11-28; empty in other builds.
const char *_Nonnull build_date(void);

#endif
