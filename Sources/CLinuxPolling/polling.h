// Functions of Linux for waiting that Swift's module of the C library does not declare.
#ifndef HARALD_LINUX_POLLING_H
#define HARALD_LINUX_POLLING_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "packets.h"
#include "receiver.h"
#endif

#endif
