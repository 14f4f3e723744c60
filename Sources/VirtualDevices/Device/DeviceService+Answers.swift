import Harald

extension DeviceService {
    /// The place of the characteristic that answers after a write to `written`; nil where none can.
    func characteristic(answering written: DeviceCharacteristic) -> Int? {
        if let uuid = written.onWrite.answersOn {
            return characteristics.firstIndex { $0.uuid == uuid && $0.isSubscribable }
        }
        if written.isSubscribable { return characteristics.firstIndex(of: written) }
        return characteristics.firstIndex { $0.isSubscribable }
    }
}
