// Declares an enumeration whose set of cases may grow.

#ifndef CB_OPEN_ENUMERATION_H
#define CB_OPEN_ENUMERATION_H

// As Apple declares them: the raw value is an `Int` in Swift, and each raw value is accepted, also one without a name.
#define CB_ENUM(name) enum __attribute__((enum_extensibility(open))) name : long
#define CB_DEPRECATED_ENUM(name, replacement) \
    enum __attribute__((enum_extensibility(open), deprecated("use " replacement, replacement))) name : long
#define CB_SWIFT_NAME(name) __attribute__((swift_name(#name)))

#endif
