import Foundation
import Harald

/// The limits and the clock of an ``ExplorerModel``.
package struct ExplorerSettings: Sendable {
    /// The maximum number of devices. Beyond it the device with the oldest last advertisement is removed, unless it is
    /// connected or a favourite.
    package var deviceLimit = 4096
    /// The maximum number of log entries.
    package var logLimit = 10_000
    /// The maximum number of values per attribute, for plots.
    package var valueLimit = 500
    /// The maximum number of pending events per observer.
    package var eventLimit = 8192
    /// The minimum time between two updates of a device.
    package var updateInterval = Duration.milliseconds(250)
    /// The time for which a closed viewer keeps its links and subscriptions.
    package var viewerGrace = Duration.seconds(20)
    /// The timeout of a pairing request, after which it is refused: just before the 30 s of the protocol (Core 6.0, Vol
    /// 3, Part H, 3.4), so that the device is notified.
    package var pairingPatience = Duration.milliseconds(29_500)
    /// The interval at which the signal strength of a connected device is read.
    package var rssiInterval = Duration.seconds(2)
    /// True to refuse all pairing requests without asking.
    package var refusesPairing = false
    /// The path of the favourites file; nil to store nothing.
    package var favouritesFile: String?
    /// The path of the file with the user's names of devices; nil to store nothing.
    package var aliasesFile: String?
    /// Receives the actions of viewers, on the loop of the adapter; nil to ignore them.
    package var onAct: (@Sendable (ExplorerAct) -> Void)?
    /// Returns the current time.
    package var now: @Sendable () -> Date = { Date.now }

    /// Creates the default settings.
    package init() {}
}
