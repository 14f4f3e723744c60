#if Programs
import NIOCore
import NIOHTTP1

/// Decodes requests with NIO's decoder, and continues after a request that asks for another protocol.
///
/// `HTTPRequestDecoder` stops after such a request, and `ByteToMessageHandler` would then keep all further data. A
/// server that does not switch ignores `Upgrade`, and the next request follows (RFC 9110, 7.8).
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private var decoder: HTTPRequestDecoder
    /// True if the current request asks for another protocol.
    private var asksForSwitch = false
    private var isStopped = false
    /// True if further data is discarded, because no request in it will be answered.
    var discards = false
    /// The octets of the current request line that have arrived, without its end.
    private var lineLength = 0
    private var isLineComplete = false
    /// True if the target of the current request exceeds the limit of a field. NIO reports it as too many octets of a
    /// header.
    var isTargetTooLong: Bool { lineLength > limits.maxHeaderFieldSize }

    init(_ limits: NIOHTTPDecoderLimitConfiguration) {
        self.limits = limits
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    /// Must be called with each part when it is decoded.
    func didDecode(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): asksForSwitch = head.asksForSwitch
        case .body: break
        case .end: (isStopped, lineLength, isLineComplete) = (asksForSwitch, 0, false)
        }
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }
    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        if discards {
            buffer.moveReaderIndex(forwardBy: buffer.readableBytes)
            return .needMoreData
        }
        measureLine(buffer)
        let state = try decoder.decode(context: context, buffer: &buffer)
        guard isStopped else { return state }
        isStopped = false
        decoderRemoved(context: context)
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
        decoderAdded(context: context)
        return .continue
    }

    /// Counts the octets of the request line. Empty lines before it do not belong to it (RFC 9112, 2.2).
    private func measureLine(_ buffer: ByteBuffer) {
        guard !isLineComplete else { return }
        var octets = buffer.readableBytesView
        if lineLength == 0 { octets = octets.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") } }
        let end = octets.firstIndex(of: UInt8(ascii: "\n"))
        lineLength += octets[..<(end ?? octets.endIndex)].count
        isLineComplete = end != nil
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }
}

extension HTTPRequestHead {
    /// True for the requests after which `HTTPRequestDecoder` stops: CONNECT, and those with a value of `Upgrade` and
    /// the option `upgrade` of `Connection`. llhttp, which decides it, does not skip a tab after an option.
    fileprivate var asksForSwitch: Bool {
        if method == .CONNECT { return true }
        guard headers.contains(name: "Upgrade"), headers["Upgrade"].contains(where: { !$0.isEmpty }) else {
            return false
        }
        return headers["Connection"].contains { field in
            field.lowercased().utf8.split(separator: UInt8(ascii: ",")).contains { option in
                let option = option.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                return option.starts(with: "upgrade".utf8)
                    && option.dropFirst("upgrade".utf8.count).allSatisfy { $0 == UInt8(ascii: " ") }
            }
        }
    }
}
#endif
