// The UUIDs of descriptors, and of one characteristic.

/// Characteristic Extended Properties; the value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// Characteristic User Description; the value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// Client Characteristic Configuration; the value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// Server Characteristic Configuration; the value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// Characteristic Presentation Format; the value is a `Data`.
public let CBUUIDCharacteristicFormatString = "2904"
/// Characteristic Aggregate Format; the value is a `Data`.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// Valid Range; the value is a `Data`.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// The characteristic in which a device publishes the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
/// Observation Schedule; the value is a `Data`.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
