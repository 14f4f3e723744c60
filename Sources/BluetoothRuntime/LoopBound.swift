/// Carries a value that is confined to one loop across isolation domains.
///
/// Proof of `@unchecked`: the value is accessed through ``value`` alone, which traps outside of the loop, and is
/// released on the loop.
public final class LoopBound<Value>: @unchecked Sendable {
    private final class Storage {
        /// Proof of `@exclusivity(unchecked)`: the property is only loaded and stored as a whole. The check would cost
        /// time on every operation.
        @exclusivity(unchecked) var value: Value
        init(_ value: Value) { self.value = value }
    }

    /// The loop that the value is confined to.
    public let loop: RadioLoop

    /// The only reference to the storage. It is retained and released manually: a reference in a local variable or a
    /// closure could be released after the loop released its own, and the value would be deinitialized on another
    /// thread.
    private let storage: Unmanaged<Storage>

    /// Binds `value`, to which there is no other reference, to `loop`.
    public init(_ value: sending Value, loop: RadioLoop) {
        self.loop = loop
        storage = .passRetained(Storage(value))
    }

    /// Binds `value`, which is already confined to `loop`, so that it can be passed elsewhere and back. To be called on
    /// the loop.
    public init(confined value: Value, loop: RadioLoop) {
        loop.preconditionOnLoop()
        self.loop = loop
        storage = .passRetained(Storage(value))
    }

    deinit {
        if loop.isOnLoop {
            storage.release()
        } else {
            let released = Released(storage: storage)
            loop.execute { released.storage.release() }
        }
    }

    /// The value; accessible on the loop only.
    public var value: Value {
        get {
            loop.preconditionOnLoop()
            return storage._withUnsafeGuaranteedRef { $0.value }
        }
        set {
            loop.preconditionOnLoop()
            storage._withUnsafeGuaranteedRef { $0.value = newValue }
        }
    }

    /// Proof of `@unchecked`: created by `deinit`, when there is no other reference to the storage, and used on the
    /// loop.
    private struct Released: @unchecked Sendable {
        let storage: Unmanaged<Storage>
    }
}
