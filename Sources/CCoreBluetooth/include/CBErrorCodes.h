// The codes of errors.

#ifndef CB_ERROR_CODES_H
#define CB_ERROR_CODES_H

#include "CBOpenEnumeration.h"

/// The codes of `CBError`.
CB_ENUM(CBErrorCode) {
    /// The reason is not known.
    CBErrorCodeUnknown CB_SWIFT_NAME(unknown) = 0,
    /// A parameter is invalid.
    CBErrorCodeInvalidParameters CB_SWIFT_NAME(invalidParameters) = 1,
    /// The attribute is not valid, or no longer valid.
    CBErrorCodeInvalidHandle CB_SWIFT_NAME(invalidHandle) = 2,
    /// The device is not connected.
    CBErrorCodeNotConnected CB_SWIFT_NAME(notConnected) = 3,
    /// There is no room left.
    CBErrorCodeOutOfSpace CB_SWIFT_NAME(outOfSpace) = 4,
    /// The operation was cancelled.
    CBErrorCodeOperationCancelled CB_SWIFT_NAME(operationCancelled) = 5,
    /// The connection was lost: the supervision timeout elapsed, or the local radio was switched off.
    CBErrorCodeConnectionTimeout CB_SWIFT_NAME(connectionTimeout) = 6,
    /// The device has ended the connection.
    CBErrorCodePeripheralDisconnected CB_SWIFT_NAME(peripheralDisconnected) = 7,
    /// This UUID belongs to the system.
    CBErrorCodeUuidNotAllowed CB_SWIFT_NAME(uuidNotAllowed) = 8,
    /// The device is being advertised already.
    CBErrorCodeAlreadyAdvertising CB_SWIFT_NAME(alreadyAdvertising) = 9,
    /// The connection could not be established.
    CBErrorCodeConnectionFailed CB_SWIFT_NAME(connectionFailed) = 10,
    /// The adapter has as many connections as it can hold.
    CBErrorCodeConnectionLimitReached CB_SWIFT_NAME(connectionLimitReached) = 11,
    /// The device is not known. The name is spelled as on Apple's systems.
    CBErrorCodeUnkownDevice CB_SWIFT_NAME(unkownDevice) = 12,
    /// The device is not known.
    CBErrorCodeUnknownDevice CB_SWIFT_NAME(unknownDevice) = 12,
    /// The operation is not supported.
    CBErrorCodeOperationNotSupported CB_SWIFT_NAME(operationNotSupported) = 13,
    /// The device has removed the keys of its pairing.
    CBErrorCodePeerRemovedPairingInformation CB_SWIFT_NAME(peerRemovedPairingInformation) = 14,
    /// Encrypting the connection took too long.
    CBErrorCodeEncryptionTimedOut CB_SWIFT_NAME(encryptionTimedOut) = 15,
    /// There are too many paired devices.
    CBErrorCodeTooManyLEPairedDevices CB_SWIFT_NAME(tooManyLEPairedDevices) = 16,
    /// The device notified more than a program in the background may receive; never used on Linux.
    CBErrorCodeLeGattExceededBackgroundNotificationLimit CB_SWIFT_NAME(leGattExceededBackgroundNotificationLimit) = 17,
    /// The device notifies almost more than a program in the background may receive; never used on Linux.
    CBErrorCodeLeGattNearBackgroundNotificationLimit CB_SWIFT_NAME(leGattNearBackgroundNotificationLimit) = 18,
    /// Channel sounding could not be configured.
    CBErrorCodeChannelSoundingConfigurationFailed CB_SWIFT_NAME(channelSoundingConfigurationFailed) = 19,
    /// Channel sounding failed.
    CBErrorCodeChannelSoundingProcedureFailed CB_SWIFT_NAME(channelSoundingProcedureFailed) = 20,
};

/// The codes of `CBATTError` (Core 6.0, Vol 3, Part F, 3.4.1.1). A profile or an application has further ones:
/// 0x80 to 0x9F belong to the application, 0xE0 to 0xFF to profiles.
CB_ENUM(CBATTErrorCode) {
    /// Success.
    CBATTErrorCodeSuccess CB_SWIFT_NAME(success) = 0,
    /// The attribute does not exist.
    CBATTErrorCodeInvalidHandle CB_SWIFT_NAME(invalidHandle) = 1,
    /// The value may not be read.
    CBATTErrorCodeReadNotPermitted CB_SWIFT_NAME(readNotPermitted) = 2,
    /// The value may not be written.
    CBATTErrorCodeWriteNotPermitted CB_SWIFT_NAME(writeNotPermitted) = 3,
    /// The request was malformed.
    CBATTErrorCodeInvalidPdu CB_SWIFT_NAME(invalidPdu) = 4,
    /// The value needs an authenticated connection.
    CBATTErrorCodeInsufficientAuthentication CB_SWIFT_NAME(insufficientAuthentication) = 5,
    /// The request is not supported.
    CBATTErrorCodeRequestNotSupported CB_SWIFT_NAME(requestNotSupported) = 6,
    /// The offset is past the end of the value.
    CBATTErrorCodeInvalidOffset CB_SWIFT_NAME(invalidOffset) = 7,
    /// The value needs an authorization.
    CBATTErrorCodeInsufficientAuthorization CB_SWIFT_NAME(insufficientAuthorization) = 8,
    /// Too many writes were prepared.
    CBATTErrorCodePrepareQueueFull CB_SWIFT_NAME(prepareQueueFull) = 9,
    /// No attribute was found.
    CBATTErrorCodeAttributeNotFound CB_SWIFT_NAME(attributeNotFound) = 10,
    /// The value cannot be read or written in parts.
    CBATTErrorCodeAttributeNotLong CB_SWIFT_NAME(attributeNotLong) = 11,
    /// The value needs a longer key.
    CBATTErrorCodeInsufficientEncryptionKeySize CB_SWIFT_NAME(insufficientEncryptionKeySize) = 12,
    /// The value has the wrong length.
    CBATTErrorCodeInvalidAttributeValueLength CB_SWIFT_NAME(invalidAttributeValueLength) = 13,
    /// The request failed for an unlikely reason.
    CBATTErrorCodeUnlikelyError CB_SWIFT_NAME(unlikelyError) = 14,
    /// The value needs an encrypted connection.
    CBATTErrorCodeInsufficientEncryption CB_SWIFT_NAME(insufficientEncryption) = 15,
    /// The attribute is no grouping attribute.
    CBATTErrorCodeUnsupportedGroupType CB_SWIFT_NAME(unsupportedGroupType) = 16,
    /// The device has insufficient resources.
    CBATTErrorCodeInsufficientResources CB_SWIFT_NAME(insufficientResources) = 17,
};

#endif
