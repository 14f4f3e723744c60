// The enumerations of devices.

#ifndef CB_PERIPHERAL_ENUMERATIONS_H
#define CB_PERIPHERAL_ENUMERATIONS_H

#include "CBOpenEnumeration.h"

/// The state of the connection to a device.
CB_ENUM(CBPeripheralState) {
    /// There is no connection.
    CBPeripheralStateDisconnected CB_SWIFT_NAME(disconnected) = 0,
    /// The connection was requested.
    CBPeripheralStateConnecting CB_SWIFT_NAME(connecting) = 1,
    /// The device is connected.
    CBPeripheralStateConnected CB_SWIFT_NAME(connected) = 2,
    /// The connection is being ended.
    CBPeripheralStateDisconnecting CB_SWIFT_NAME(disconnecting) = 3,
};

/// The procedure by which a value is written.
CB_ENUM(CBCharacteristicWriteType) {
    /// The device acknowledges the write.
    CBCharacteristicWriteWithResponse CB_SWIFT_NAME(withResponse) = 0,
    /// The write is not acknowledged.
    CBCharacteristicWriteWithoutResponse CB_SWIFT_NAME(withoutResponse) = 1,
};

/// The role of this side in channel sounding.
CB_ENUM(CBChannelSoundingSessionConfigurationRole) {
    /// This side begins.
    CBChannelSoundingSessionConfigurationRoleInitiator CB_SWIFT_NAME(initiator) = 0,
};

#endif
