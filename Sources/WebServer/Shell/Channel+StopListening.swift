import NIOCore

extension Channel {
    /// Stops accepting, then closes a listening channel.
    ///
    /// NIO ends the process if a connection is set up while the channel closes, so connections that were accepted
    /// before have a moment for that.
    package func stopListening() async {
        try? await setOption(ChannelOptions.autoRead, value: false).get()
        try? await Task.sleep(for: .milliseconds(100))
        try? await close()
    }
}
