// Functions of Linux for waiting that Swift's module of the C library does not declare.
#ifndef HARALD_LINUX_POLLING_H
#define HARALD_LINUX_POLLING_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "gate.h"
#include "packets.h"
#include "receiver.h"
#include "ring.h"
#endif

#endif
