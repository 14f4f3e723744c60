#ifndef CBUILD_H
#define CBUILD_H

/// The commit that a release was built from, in hexadecimal; empty in other builds.
const char *_Nonnull build_commit(void);

/// The date of that commit, as in 2026-11-28; empty in other builds.
const char *_Nonnull build_date(void);

/// Prints where the program crashed, as offsets in its file, before a signal ends it. Does nothing where this is not known.
void report_crashes(const char *_Nonnull version);

#endif
