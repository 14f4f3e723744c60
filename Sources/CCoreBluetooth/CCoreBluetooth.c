#include "CBErrorCodes.h"
#include "CBManagerEnumerations.h"
#include "CBPeripheralEnumerations.h"

// The raw values are `Int` in Swift.
_Static_assert(sizeof(enum CBErrorCode) == sizeof(long), "the raw value of an error code is a long");
_Static_assert(sizeof(enum CBManagerState) == sizeof(long), "the raw value of a state is a long");
_Static_assert(sizeof(enum CBPeripheralState) == sizeof(long), "the raw value of a state is a long");
