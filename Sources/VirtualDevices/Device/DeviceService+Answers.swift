import Harald

extension DeviceService {
    /// Returns the index of the characteristic that sends the answers to writes to `written`; nil if none can.
    func characteristic(answering written: DeviceCharacteristic) -> Int? {
        if let uuid = written.onWrite.answersOn {
            return characteristics.firstIndex { $0.uuid == uuid && $0.isSubscribable }
        }
        if written.isSubscribable { return characteristics.firstIndex(of: written) }
        return characteristics.firstIndex { $0.isSubscribable }
    }
}
