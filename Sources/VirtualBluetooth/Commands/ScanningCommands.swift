import BluetoothHCI
import BluetoothModel

extension Command {
    /// Scanning (Core 6.0, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
    static let scanning: [Command] = [
        .complete(.leSetScanParameters, 7, family: .legacy) { controller, reader in
            guard !controller.scanner.isEnabled else { return .complete(.commandDisallowed) }
            guard let parameters = ScanParameters(legacy: &reader) else { return nil }
            guard controller.allows(ownAddressType: parameters.ownAddressType) else {
                return .complete(.unsupportedFeature)
            }
            controller.scanner.parameters = parameters
            return .complete(.success)
        },
        .complete(.leSetScanEnable, 2, family: .legacy) { controller, reader in
            guard let isOn = reader.bool(), let filters = reader.bool() else { return nil }
            return controller.enableScanning(isOn, filtering: filters ? .on : .off, duration: .zero, period: .zero)
        },
        .complete(
            .leSetExtendedScanParameters, lengths: 8...13, features: .extendedAdvertising, family: .extended
        ) { controller, reader in
            guard !controller.scanner.isEnabled else { return .complete(.commandDisallowed) }
            let layers = controller.configuration.features.physicalLayers
            guard let parameters = ScanParameters(extended: &reader, layers: layers) else { return nil }
            guard controller.allows(ownAddressType: parameters.ownAddressType) else {
                return .complete(.unsupportedFeature)
            }
            controller.scanner.parameters = parameters
            return .complete(.success)
        },
        .complete(.leSetExtendedScanEnable, 6, features: .extendedAdvertising, family: .extended) {
            controller, reader in
            guard let isOn = reader.bool(),
                let filtering = reader.uint8().flatMap(ControllerScanner.Filtering.init(rawValue:)),
                let duration = reader.uint16(), let period = reader.uint16()
            else { return nil }
            let length = Duration.milliseconds(10 * Int64(duration))
            let whole = Duration.milliseconds(1280 * Int64(period))
            if isOn {
                if filtering == .onWithinPeriod { guard period != 0, duration != 0 else { return nil } }
                if duration != 0, period != 0 { guard length < whole else { return nil } }
            }
            return controller.enableScanning(
                isOn, filtering: filtering, duration: length, period: duration == 0 ? .zero : whole)
        },
    ]
}

extension VirtualController {
    fileprivate func enableScanning(
        _ isOn: Bool, filtering: ControllerScanner.Filtering, duration: Duration, period: Duration
    ) -> CommandAnswer? {
        guard isOn else {
            scanner.disable()
            return .complete(.success)
        }
        // Required for private addresses too: devices that are not in the resolving list are scanned with the identity
        // address.
        guard identityAddress(scanner.parameters.ownAddressType) != nil else { return nil }
        // The command family selects the kind of reports, also before the host has set scan parameters.
        scanner.parameters.hearsExtended = settings.family == .extended
        scanner.enable(filtering: filtering, duration: duration, period: period)
        return .complete(.success)
    }
}
