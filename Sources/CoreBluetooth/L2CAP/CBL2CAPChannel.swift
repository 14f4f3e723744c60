import Foundation

/// The PSM (protocol/service multiplexer) of a listener for L2CAP channels.
public typealias CBL2CAPPSM = UInt16

/// An L2CAP channel to another device: a stream in each direction.
///
/// Open both streams, and schedule them on a run loop for their delegate to be called.
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
    /// The stream of received data.
    open var inputStream: InputStream! { streams.input }
    /// The stream of data to be sent.
    open var outputStream: OutputStream! { streams.output }
    /// The PSM of the listener.
    open var psm: CBL2CAPPSM { number }
}
