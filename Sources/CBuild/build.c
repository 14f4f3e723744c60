#include "CBuild.h"

#ifndef HARALD_COMMIT
#define HARALD_COMMIT ""
#endif
#ifndef HARALD_DATE
#define HARALD_DATE ""
#endif

const char *build_commit(void) { return HARALD_COMMIT; }

const char *build_date(void) { return HARALD_DATE; }
