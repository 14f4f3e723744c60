/// Carries a value that only one loop may touch across isolation domains.
///
/// `@unchecked`: the value is reached through ``value`` alone, which traps anywhere but on the loop, and is released
/// on the loop.
public final class LoopBound<Value>: @unchecked Sendable {
    private final class Storage {
        /// Not checked for overlapping access, which every operation would pay for: it is read and set as a whole.
        @exclusivity(unchecked) var value: Value
        init(_ value: Value) { self.value = value }
    }

    /// The loop that may touch the value.
    public let loop: RadioLoop

    /// The one reference to the storage. It is counted by hand: a local variable or a closure on the way to the loop
    /// could be released after the loop is done with it, and the value would end on the wrong thread.
    private let storage: Unmanaged<Storage>

    /// Binds `value`, which nobody else knows, to `loop`.
    public init(_ value: sending Value, loop: RadioLoop) {
        self.loop = loop
        storage = .passRetained(Storage(value))
    }

    /// Binds `value`, which is confined to `loop` already, so that it can be taken along to elsewhere and back; only on
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
            let parting = Parting(storage: storage)
            loop.execute { parting.storage.release() }
        }
    }

    /// The value; only on the loop.
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

    /// `@unchecked`: made by `deinit`, when nobody else can reach the storage, and opened on the loop.
    private struct Parting: @unchecked Sendable {
        let storage: Unmanaged<Storage>
    }
}
