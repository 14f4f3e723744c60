import BluetoothModel

/// The channels that one user of a link has opened, which end with the user's share. Confined to the loop.
package final class ShareChannels {
    /// A channel, which belongs to its user.
    private struct Entry { weak var channel: (any BackendChannel)? }

    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// Returns the completion of an opening that adds the channel before it calls `completion`.
    package func adding(
        _ completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> (Result<any BackendChannel, RadioError>) -> Void {
        { [weak self] result in
            if case .success(let channel) = result { self?.add(channel) }
            completion(result)
        }
    }

    private func add(_ channel: any BackendChannel) {
        entries.removeAll { $0.channel == nil }
        entries.append(Entry(channel: channel))
    }

    /// Ends the channels that are still open, in the order in which they were opened.
    package func end(_ error: RadioError) {
        let ended = entries
        entries = []
        for entry in ended { entry.channel?.end(error) }
    }
}
