#if Programs
import Foundation
import Harald

/// The bounds and the clock of an ``ExplorerModel``.
package struct ExplorerSettings: Sendable {
    /// How many devices are kept; of more, those heard least recently are forgotten, unless they are connected or favourites.
    package var deviceLimit = 4096
    /// How many entries the log keeps.
    package var logLimit = 10_000
    /// How many values are kept of each attribute, for plots.
    package var valueLimit = 500
    /// How many events wait for one observer.
    package var eventLimit = 8192
    /// How often a device's update is told of at most.
    package var updateInterval = Duration.milliseconds(250)
    /// How long a viewer that closed keeps its links and subscriptions.
    package var viewerGrace = Duration.seconds(20)
    /// After so long without an answer a question of pairing is refused: just before the 30 s of the protocol are over
    /// (Core 6.0, Vol 3, Part H, 3.4), so that the device is told.
    package var pairingPatience = Duration.milliseconds(29_500)
    /// How often the signal strength of a connected device is read.
    package var rssiInterval = Duration.seconds(2)
    /// Whether every question of pairing is refused without asking.
    package var refusesPairing = false
    /// Where favourites are kept; nil for nowhere.
    package var favouritesFile: String?
    /// The time of day.
    package var now: @Sendable () -> Date = { Date.now }

    /// The usual ones.
    package init() {}
}
#endif
