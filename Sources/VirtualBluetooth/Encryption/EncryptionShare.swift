/// The random values that one side contributes to the session keys, so that no two sessions have the same keys (Core
/// 6.0, Vol 6, Part B, 5.1.3.1).
package struct EncryptionShare: Equatable {
    /// Half of the session key diversifier.
    var diversifier: UInt64
    /// Half of the initialization vector.
    var vector: UInt32

    /// Creates the values of one side.
    package init(diversifier: UInt64, vector: UInt32) { (self.diversifier, self.vector) = (diversifier, vector) }
}
