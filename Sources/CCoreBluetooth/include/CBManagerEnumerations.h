// The enumerations of managers.

#ifndef CB_MANAGER_ENUMERATIONS_H
#define CB_MANAGER_ENUMERATIONS_H

#include "CBOpenEnumeration.h"

/// The state of an adapter.
CB_ENUM(CBManagerState) {
    /// The state is not known yet.
    CBManagerStateUnknown CB_SWIFT_NAME(unknown) = 0,
    /// The connection to the adapter was lost; another state follows.
    CBManagerStateResetting CB_SWIFT_NAME(resetting) = 1,
    /// There is no adapter, or it does not support Bluetooth Low Energy.
    CBManagerStateUnsupported CB_SWIFT_NAME(unsupported) = 2,
    /// The program may not use the adapter.
    CBManagerStateUnauthorized CB_SWIFT_NAME(unauthorized) = 3,
    /// The adapter is switched off.
    CBManagerStatePoweredOff CB_SWIFT_NAME(poweredOff) = 4,
    /// The adapter is ready.
    CBManagerStatePoweredOn CB_SWIFT_NAME(poweredOn) = 5,
};

/// The state of an adapter, by its old name for centrals.
CB_DEPRECATED_ENUM(CBCentralManagerState, "CBManagerState") {
    /// The state is not known yet.
    CBCentralManagerStateUnknown CB_SWIFT_NAME(unknown) = 0,
    /// The connection to the adapter was lost; another state follows.
    CBCentralManagerStateResetting CB_SWIFT_NAME(resetting) = 1,
    /// There is no adapter, or it does not support Bluetooth Low Energy.
    CBCentralManagerStateUnsupported CB_SWIFT_NAME(unsupported) = 2,
    /// The program may not use the adapter.
    CBCentralManagerStateUnauthorized CB_SWIFT_NAME(unauthorized) = 3,
    /// The adapter is switched off.
    CBCentralManagerStatePoweredOff CB_SWIFT_NAME(poweredOff) = 4,
    /// The adapter is ready.
    CBCentralManagerStatePoweredOn CB_SWIFT_NAME(poweredOn) = 5,
};

/// The state of an adapter, by its old name for peripherals.
CB_DEPRECATED_ENUM(CBPeripheralManagerState, "CBManagerState") {
    /// The state is not known yet.
    CBPeripheralManagerStateUnknown CB_SWIFT_NAME(unknown) = 0,
    /// The connection to the adapter was lost; another state follows.
    CBPeripheralManagerStateResetting CB_SWIFT_NAME(resetting) = 1,
    /// There is no adapter, or it does not support Bluetooth Low Energy.
    CBPeripheralManagerStateUnsupported CB_SWIFT_NAME(unsupported) = 2,
    /// The program may not use the adapter.
    CBPeripheralManagerStateUnauthorized CB_SWIFT_NAME(unauthorized) = 3,
    /// The adapter is switched off.
    CBPeripheralManagerStatePoweredOff CB_SWIFT_NAME(poweredOff) = 4,
    /// The adapter is ready.
    CBPeripheralManagerStatePoweredOn CB_SWIFT_NAME(poweredOn) = 5,
};

/// The permission of a program to use Bluetooth.
CB_ENUM(CBManagerAuthorization) {
    /// The user was not asked yet.
    CBManagerAuthorizationNotDetermined CB_SWIFT_NAME(notDetermined) = 0,
    /// The permission is restricted, and the user cannot change it.
    CBManagerAuthorizationRestricted CB_SWIFT_NAME(restricted) = 1,
    /// The program may not use Bluetooth.
    CBManagerAuthorizationDenied CB_SWIFT_NAME(denied) = 2,
    /// The program may use Bluetooth.
    CBManagerAuthorizationAllowedAlways CB_SWIFT_NAME(allowedAlways) = 3,
};

/// The permission of a program to offer services in the background, by its old name.
CB_DEPRECATED_ENUM(CBPeripheralManagerAuthorizationStatus, "CBManagerAuthorization") {
    /// The user was not asked yet.
    CBPeripheralManagerAuthorizationStatusNotDetermined CB_SWIFT_NAME(notDetermined) = 0,
    /// The permission is restricted, and the user cannot change it.
    CBPeripheralManagerAuthorizationStatusRestricted CB_SWIFT_NAME(restricted) = 1,
    /// The program may not offer services.
    CBPeripheralManagerAuthorizationStatusDenied CB_SWIFT_NAME(denied) = 2,
    /// The program may offer services.
    CBPeripheralManagerAuthorizationStatusAuthorized CB_SWIFT_NAME(authorized) = 3,
};

/// The latency that a peripheral asks a central for.
CB_ENUM(CBPeripheralManagerConnectionLatency) {
    /// Low latency, with a higher power consumption.
    CBPeripheralManagerConnectionLatencyLow CB_SWIFT_NAME(low) = 0,
    /// A compromise of latency and power.
    CBPeripheralManagerConnectionLatencyMedium CB_SWIFT_NAME(medium) = 1,
    /// High latency, which saves power.
    CBPeripheralManagerConnectionLatencyHigh CB_SWIFT_NAME(high) = 2,
};

/// A change of a connection, made by any program.
CB_ENUM(CBConnectionEvent) {
    /// The device was disconnected.
    CBConnectionEventPeerDisconnected CB_SWIFT_NAME(peerDisconnected) = 0,
    /// The device was connected.
    CBConnectionEventPeerConnected CB_SWIFT_NAME(peerConnected) = 1,
};

#endif
