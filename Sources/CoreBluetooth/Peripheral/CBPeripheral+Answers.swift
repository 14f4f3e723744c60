import BluetoothBackend
import BluetoothModel
import Foundation

/// Converts the answers of a device into objects and delivers them, on the queue.
extension CBPeripheral {
    func deliver(_ operation: PeripheralRequest.Operation, _ answer: PeripheralRequest.Answer) {
        var error: (any Error)?
        if case .failed(let reason) = answer { error = reason }
        switch operation {
        case .services(let filter):
            if case .services(let found) = answer { take(found, isAll: filter == nil) }
            noteKnowledge()
            delegate?.peripheral(self, didDiscoverServices: error)
        case .included(let service, _, let filter):
            if case .services(let found) = answer { take(found, includedIn: service, filter) }
            noteKnowledge()
            delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error)
        case .characteristics(let service, _, let filter):
            if case .characteristics(let found) = answer { take(found, of: service, isAll: filter == nil) }
            noteKnowledge()
            delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        case .descriptors(let characteristic, _):
            if case .descriptors(let found) = answer { take(found, of: characteristic) }
            noteKnowledge()
            delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error)
        case .read(let characteristic, _):
            if case .data(let data) = answer { characteristic.setValue(data) }
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
        case .readDescriptor(let descriptor, _):
            if case .data(let data) = answer { descriptor.setValue(CBDescriptor.typed(data, of: descriptor.uuid)) }
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error)
        case .write(let characteristic, _, _):
            delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
        case .writeDescriptor(let descriptor, _, _):
            delegate?.peripheral(self, didWriteValueFor: descriptor, error: error)
        case .notify(let characteristic, _, let isOn):
            if error == nil { characteristic.setNotifying(isOn) }
            noteKnowledge()
            delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error)
        case .signalStrength:
            var value = NSNumber(value: 127)
            if case .signalStrength(let number) = answer { value = NSNumber(value: number) }
            setSignalStrength(value)
            delegate?.peripheral(self, didReadRSSI: value, error: error)
        case .channel(let psm):
            var channel: CBL2CAPChannel?
            if case .channel(let streams) = answer { channel = CBL2CAPChannel(peer: self, psm: psm, streams: streams) }
            delegate?.peripheral(self, didOpen: channel, error: error)
        }
    }

    /// Delivers the outcome of a restored subscription; only a failure is reported.
    func deliverRestored(_ characteristic: CBCharacteristic, _ answer: PeripheralRequest.Answer) {
        guard case .failed(let error) = answer else { return }
        characteristic.setNotifying(false)
        noteKnowledge()
        delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error)
    }

    /// Services that are reserved for the system: Generic Access and Generic Attribute.
    private static let hidden: Set<BluetoothUUID> = [0x1800, 0x1801]

    /// Returns the valid object of a discovered primary or included service.
    private func knownService(_ id: AttributeID) -> CBService? {
        let primary = services ?? []
        let included = primary.flatMap { $0.includedServices ?? [] }
        return (primary + included).first { $0.attribute == id && $0.isValid }
    }

    private func object(for service: RemoteService) -> CBService {
        knownService(service.id)
            ?? CBService(
                type: CBUUID(service.uuid), isPrimary: service.isPrimary, attribute: service.id, peripheral: self)
    }

    private func take(_ found: [RemoteService], isAll: Bool) {
        let new = found.map { object(for: $0) }.filter { !Self.hidden.contains($0.uuid.model) }
        setServices(isAll ? new : merge(services ?? [], new) { $0.attribute })
    }

    private func take(_ found: [RemoteService], includedIn service: CBService, _ filter: [CBUUID]?) {
        let wanted = filter.flatMap { $0.isEmpty ? nil : $0.models }
        let new = found.filter { wanted?.contains($0.uuid) ?? true }.map { object(for: $0) }
        service.setIncludedServices(wanted == nil ? new : merge(service.includedServices ?? [], new) { $0.attribute })
    }

    private func take(_ found: [RemoteCharacteristic], of service: CBService, isAll: Bool) {
        let old = service.characteristics ?? []
        let new = found.map { characteristic in
            old.first { $0.attribute == characteristic.id }
                ?? CBCharacteristic(
                    type: CBUUID(characteristic.uuid),
                    properties: CBCharacteristicProperties(rawValue: UInt(characteristic.properties.rawValue)),
                    attribute: characteristic.id, service: service)
        }
        service.setCharacteristics(isAll ? new : merge(old, new) { $0.attribute })
    }

    private func take(_ found: [RemoteDescriptor], of characteristic: CBCharacteristic) {
        let old = characteristic.descriptors ?? []
        characteristic.setDescriptors(
            found.map { descriptor in
                old.first { $0.attribute == descriptor.id }
                    ?? CBDescriptor(
                        type: CBUUID(descriptor.uuid), attribute: descriptor.id, characteristic: characteristic)
            })
    }

    /// Returns the known and the new attributes, in the order of the device.
    private func merge<Attribute: AnyObject>(
        _ old: [Attribute], _ new: [Attribute], _ id: (Attribute) -> AttributeID?
    ) -> [Attribute] {
        (old.filter { known in !new.contains { $0 === known } } + new)
            .sorted { (id($0)?.rawValue ?? 0) < (id($1)?.rawValue ?? 0) }
    }
}
