import Foundation

/// The number of a listener for L2CAP channels, its protocol/service multiplexer.
public typealias CBL2CAPPSM = UInt16

/// An L2CAP channel to another device: a stream in each direction.
///
/// Open both streams, and schedule them on a run loop to have their delegate called.
open class CBL2CAPChannel: NSObject {
    private let other: CBPeer
    private let number: CBL2CAPPSM
    private let streams: ChannelStreams

    init(peer: CBPeer, psm: CBL2CAPPSM, streams: ChannelStreams) {
        other = peer
        number = psm
        self.streams = streams
        super.init()
    }

    deinit { streams.close() }

    /// The other device.
    open var peer: CBPeer! { other }
    /// What comes in.
    open var inputStream: InputStream! { streams.input }
    /// What goes out.
    open var outputStream: OutputStream! { streams.output }
    /// The number of the listener.
    open var psm: CBL2CAPPSM { number }
}
