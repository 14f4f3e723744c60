import BluetoothModel

/// Receives the events of a host stack. Every call is made from inside one of the host's methods, on its thread and
/// with its state consistent, so the delegate may call the host.
package protocol LEHostDelegate: AnyObject {
    /// The state changed. When the host fails, restarts or stops, pending operations have completed with an error
    /// before.
    func host(_ host: LEHost, changed state: HostState)
    /// An advertising report was received; its data is valid only during the call.
    func host(_ host: LEHost, discovered report: AdvertisingReport)
    /// A link was established, in either role. Called before the completion of
    /// ``LEHost/connect(to:parameters:completion:)`` and before ``AdvertisingSet/onTerminated``.
    func host(_ host: LEHost, connected link: LELink)
    /// A link ended; its pending operations have completed before.
    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus)
    /// A property of a link changed.
    func host(_ host: LEHost, link: LELink, changed change: LinkChange)
    /// The scan stopped with an error; ``LEHost/startScan(_:completion:)`` starts it again.
    func host(_ host: LEHost, scanFailed error: RadioError)
}

extension LEHostDelegate {
    /// Does nothing.
    package func host(_ host: LEHost, changed state: HostState) {}
    /// Does nothing.
    package func host(_ host: LEHost, discovered report: AdvertisingReport) {}
    /// Does nothing.
    package func host(_ host: LEHost, connected link: LELink) {}
    /// Does nothing.
    package func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) {}
    /// Does nothing.
    package func host(_ host: LEHost, link: LELink, changed change: LinkChange) {}
    /// Does nothing.
    package func host(_ host: LEHost, scanFailed error: RadioError) {}
}

/// The property of a link that changed.
package enum LinkChange: Hashable, Sendable {
    /// ``LELink/parameters``.
    case parameters
    /// ``LELink/phy``.
    case phy
    /// ``LELink/dataLength``.
    case dataLength
    /// ``LELink/security``.
    case security
}
