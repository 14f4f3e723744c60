import BluetoothModel

/// Hears what happens in a host stack. Every call comes from inside one of the host's own methods, on its thread, with
/// the host's state complete, so the delegate may call the host back.
public protocol LEHostDelegate: AnyObject {
    /// The host became ready, failed, restarts or stopped. What was pending has ended with an error before.
    func host(_ host: LEHost, changed state: HostState)
    /// An advertisement was received; `report` holds a view that is valid during the call only.
    func host(_ host: LEHost, discovered report: AdvertisingReport)
    /// A link is up, in either role; this comes before the completion of ``LEHost/connect(to:parameters:completion:)``
    /// and before ``AdvertisingSet/onTerminated``.
    func host(_ host: LEHost, connected link: LELink)
    /// A link ended; everything pending on it has ended before.
    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus)
    /// Something of a link has a new value.
    func host(_ host: LEHost, link: LELink, changed change: LinkChange)
    /// The scan stopped by itself, with the cause; ``LEHost/startScan(_:completion:)`` starts it again.
    func host(_ host: LEHost, scanFailed error: RadioError)
}

extension LEHostDelegate {
    /// Nothing.
    public func host(_ host: LEHost, changed state: HostState) {}
    /// Nothing.
    public func host(_ host: LEHost, discovered report: AdvertisingReport) {}
    /// Nothing.
    public func host(_ host: LEHost, connected link: LELink) {}
    /// Nothing.
    public func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) {}
    /// Nothing.
    public func host(_ host: LEHost, link: LELink, changed change: LinkChange) {}
    /// Nothing.
    public func host(_ host: LEHost, scanFailed error: RadioError) {}
}

/// What of a link has a new value.
public enum LinkChange: Hashable, Sendable {
    /// ``LELink/parameters``.
    case parameters
    /// ``LELink/phy``.
    case phy
    /// ``LELink/dataLength``.
    case dataLength
    /// ``LELink/security``.
    case security
}
