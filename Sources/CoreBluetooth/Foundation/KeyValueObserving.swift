import Foundation

// Key-value observing of the properties of this module. Foundation on Linux has neither the mechanism nor these types.

/// An object whose properties can be observed: a manager, a device or an attribute.
public protocol HaraldObservable: AnyObject {}

extension CBManager: HaraldObservable {}
extension CBPeer: HaraldObservable {}
extension CBAttribute: HaraldObservable {}

extension HaraldObservable {
    /// Calls `changeHandler` after each change of a property to another value, on the thread that changes it, before
    /// the delegate is called. The observation ends when the returned object is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let last = LastValue(self[keyPath: keyPath])
        let observation = NSKeyValueObservation(self) { object in
            // Always an object of this type: it is the one that is observed.
            guard let object = object as? Self else { return }
            let new = object[keyPath: keyPath]
            guard let old = last.replace(with: new) else { return }
            changeHandler(object, NSKeyValueObservedChange(from: old, to: new, options))
        }
        if options.contains(.initial) {
            changeHandler(self, NSKeyValueObservedChange(from: nil, to: self[keyPath: keyPath], options))
        }
        return observation
    }
}

/// The values that an observation reports.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// A call with the current value at once.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// A call before each change; has no effect on Linux.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has another value.
    case setting = 1
    /// Elements were inserted; never on Linux.
    case insertion
    /// Elements were removed; never on Linux.
    case removal
    /// Elements were replaced; never on Linux.
    case replacement
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// The kind of the change.
    public let kind = Kind.setting
    /// The new value, if it was requested.
    public let newValue: Value?
    /// The value before, if it was requested.
    public let oldValue: Value?
    /// The changed elements; always nil on Linux.
    public let indexes: IndexSet? = nil
    /// True before a change; never on Linux.
    public let isPrior = false

    fileprivate init(from old: Value?, to new: Value, _ options: NSKeyValueObservingOptions) {
        newValue = options.contains(.new) ? new : nil
        oldValue = options.contains(.old) ? old : nil
    }
}

/// An observation of a property, which ends when this object is released.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let key: Observations.Key

    fileprivate init(_ object: AnyObject, _ check: @escaping (AnyObject) -> Void) {
        key = Observations.add(object, check)
        super.init()
    }

    deinit { invalidate() }

    /// Ends the observation.
    public func invalidate() { Observations.remove(key) }
}
