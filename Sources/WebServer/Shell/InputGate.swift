import NIOCore

/// The octets of a connection before they are decoded: discards them when no request in them will be answered.
///
/// Without it the decoder keeps them, and reads wait for a consumer that has ended.
final class InputGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    /// The first octets of the line that began before the octets that are being decoded.
    private var line: [UInt8] = []
    private var isClosed = false

    /// True if the line that is being decoded is that of a request: a method and a space.
    var isInTarget: Bool {
        let rest = line.drop { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") || $0 == UInt8(ascii: "-") }
        return rest.first == UInt8(ascii: " ")
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Discards all further octets.
    func close() {
        isClosed = true
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isClosed { return }
        context.fireChannelRead(data)
        let octets = unwrapInboundIn(data).readableBytesView
        if let end = octets.lastIndex(of: UInt8(ascii: "\n")) {
            line = Array(octets[octets.index(after: end)...].prefix(32))
        } else if line.count < 32 {
            line += octets.prefix(32 - line.count)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isClosed { context.read() }
    }
}
