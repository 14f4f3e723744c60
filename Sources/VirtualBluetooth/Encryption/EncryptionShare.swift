/// What one side adds to the keys of a session, so that no two sessions have the same (Core 6.0, Vol 6, Part B,
/// 5.1.3.1).
struct EncryptionShare: Equatable {
    /// Half of the session key diversifier.
    var diversifier: UInt64
    /// Half of the initialization vector.
    var vector: UInt32
}
