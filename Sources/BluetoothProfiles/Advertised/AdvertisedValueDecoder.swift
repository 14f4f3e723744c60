import BluetoothModel

/// Decodes the values in advertisements. A decoder with keys remembers the counters of encrypted frames.
public struct AdvertisedValueDecoder: Sendable {
    /// Decrypts a part of a frame.
    public typealias Opener = @Sendable (SealedPart) -> OpenedPart

    private struct Sender: Hashable {
        private let kind: String
        private let address: UInt64

        init(_ kind: String, _ address: BluetoothAddress) { (self.kind, self.address) = (kind, address.value) }
    }

    private let open: Opener
    /// The last frame of each device that has a key.
    private var latest: [Sender: SealedPart] = [:]

    /// Creates a decoder.
    /// - Parameter open: decrypts a part of a frame; by default there are no keys.
    public init(open: @escaping Opener = { _ in .noKey }) { self.open = open }

    /// Returns the values of known formats in an advertisement, in the order of the structures.
    ///
    /// An encrypted frame whose counter is lower than that of an earlier frame of the device is a problem, not a value:
    /// it may be a recording. A counter below 100 is a restart. Nor is a clear frame of a device that has encrypted its
    /// values before.
    /// - Parameters:
    ///   - name: the name of the device, if the advertisement has none. Some formats are recognized by it.
    ///   - address: the address of the device, which encrypted formats need.
    public mutating func values(
        in data: AdvertisingData, name: String? = nil, from address: BluetoothAddress? = nil
    ) -> [AdvertisedValue] {
        var result: [AdvertisedValue] = []
        let declared = AdvertisedFormats.declaredByPlace
        for frame in data.frames(name: name, address: address) {
            for format in AdvertisedFormats.formats(of: frame) { result.append(value(of: frame, format)) }
            guard !declared.isEmpty, let own = declared[frame.place] else { continue }
            result += own.compactMap { $0.value(of: frame) }
        }
        return result
    }

    private mutating func value(of frame: AdvertisedFrame, _ format: any AdvertisedFormat.Type) -> AdvertisedValue {
        var value = AdvertisedValue(format)
        guard frame.missing == 0 else {
            value.problem = "the frame ends \(frame.missing.counted("byte")) early"
            return value
        }
        guard let sealed = format as? any SealedFormat.Type else { return format.value(of: frame.bytes) }
        do throws(ValueError) {
            guard let part = try sealed.sealedPart(of: frame) else {
                if let address = sealed.sender(ofValuesIn: frame), latest[Sender(format.kind, address)] != nil {
                    throw ValueError(
                        field: "encrypted",
                        reason: "a clear frame of \(address), whose earlier frames were encrypted")
                }
                return format.value(of: frame.bytes)
            }
            return format.value(of: part.header + (try text(of: part, format.kind)))
        } catch {
            value.problem = error.description
            return value
        }
    }

    /// The counter of a device that was restarted, as others accept it (bthome-ble, `_check_encryption_counter`).
    private static let restart = 100

    private mutating func text(of part: SealedPart, _ kind: String) throws(ValueError) -> [UInt8] {
        switch open(part) {
        case .noKey: throw ValueError(field: "encrypted", reason: "there is no key for \(part.address)")
        case .invalid:
            throw ValueError(
                field: "encrypted", reason: "the key of \(part.address) does not fit, or the frame was changed")
        case .text(let text):
            let sender = Sender(kind, part.address)
            if let last = latest[sender], part.counter >= Self.restart,
                part.counter < last.counter || part.counter == last.counter && part.text != last.text
            {
                throw ValueError(
                    field: "encrypted", reason: "counter \(part.counter) after \(last.counter): an old frame")
            }
            latest[sender] = part
            return text
        }
    }
}
