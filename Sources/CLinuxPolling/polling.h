// What Linux has for waiting and Swift's module of the C library leaves out.
#ifndef HARALD_LINUX_POLLING_H
#define HARALD_LINUX_POLLING_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "ring.h"
#endif

#endif
