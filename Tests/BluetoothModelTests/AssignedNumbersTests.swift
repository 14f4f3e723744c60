import BluetoothModel
import Testing

@Suite struct AssignedNumbersTests {
    @Test func numbersHaveNames() {
        #expect(AssignedNumbers.serviceName(0x180D) == "Heart Rate")
        #expect(AssignedNumbers.serviceName(0x1800) == "Generic Access")
        #expect(AssignedNumbers.characteristicName(0x2A37) == "Heart Rate Measurement")
        #expect(AssignedNumbers.characteristicName(0x2A19) == "Battery Level")
        #expect(AssignedNumbers.descriptorName(0x2902) == "Client Characteristic Configuration")
        #expect(AssignedNumbers.name(of: 0x2803) == "Characteristic")
        #expect(AssignedNumbers.serviceName(BluetoothUUIDTests.uart) == "Nordic UART Service")
        #expect(AssignedNumbers.serviceName("F000AA00-0451-4000-B000-000000000000")?.contains("SensorTag") == true)
        #expect(AssignedNumbers.entry(of: 0x180D)?.isStandard == true)
        #expect(AssignedNumbers.entry(of: BluetoothUUIDTests.uart)?.isStandard == false)
    }

    @Test func aNumberOfOneKindHasNoNameOfAnother() {
        #expect(AssignedNumbers.serviceName(0x2A37) == nil && AssignedNumbers.characteristicName(0x180D) == nil)
        #expect(AssignedNumbers.descriptorName(0x2A37) == nil)
        // One that is a service and a characteristic.
        let buttonless: BluetoothUUID = "8E400001-F315-4F60-9FB8-838830DAEA50"
        #expect(AssignedNumbers.serviceName(buttonless) != AssignedNumbers.characteristicName(buttonless))
        #expect(AssignedNumbers.entry(of: buttonless)?.kind == .service)
    }

    @Test func unassignedNumbersHaveNoName() {
        for short in UInt16(0xFFF0)...0xFFF5 { #expect(AssignedNumbers.name(of: BluetoothUUID(short)) == nil) }
        #expect(AssignedNumbers.name(of: 0x0000) == nil && AssignedNumbers.name(of: 0xFFFF) == nil)
        #expect(AssignedNumbers.name(of: 0x180D_0000) == nil)
        #expect(AssignedNumbers.name(of: BluetoothUUID(high: .max, low: .max)) == nil)
        #expect(AssignedNumbers.name(of: BluetoothUUID(high: 0, low: 0)) == nil)
    }

    /// A table that is not sorted, or a search that loses a line, shows here.
    @Test func everyListedNumberIsFound() {
        let all = AssignedNumbers.search("")
        #expect(all.count > 700 && Set(all).count == all.count)
        for (index, entry) in all.enumerated() {
            let found: String? =
                switch entry.kind {
                case .service: AssignedNumbers.serviceName(entry.uuid)
                case .characteristic: AssignedNumbers.characteristicName(entry.uuid)
                case .descriptor: AssignedNumbers.descriptorName(entry.uuid)
                case .declaration: AssignedNumbers.name(of: entry.uuid)
                case .unit: AssignedNumbers.unitName(entry.uuid)
                }
            #expect(found == entry.name, "\(entry.uuid)")
            if index % 10 == 0 {
                #expect(AssignedNumbers.uuids(named: entry.name, kind: entry.kind).contains(entry.uuid))
            }
        }
        let companies = AssignedNumbers.companies(containing: "")
        #expect(companies.count > 3900 && Set(companies).count == companies.count)
        for company in companies {
            let name = company.name
            #expect(name?.isEmpty == false)
            if let name, company.rawValue % 250 == 0 {
                #expect(AssignedNumbers.companies(named: name).contains(company), "\(name)")
            }
        }
    }

    @Test(arguments: ["battery level", "battery-level", "BatteryLevel", "BATTERY_LEVEL", " Battery  Level "])
    func namesAreFoundInAnySpelling(name: String) {
        #expect(AssignedNumbers.uuids(named: name) == [0x2A19])
    }

    @Test func onlyWholeNamesMatch() {
        #expect(AssignedNumbers.uuids(named: "battery") == [0x180F])
        #expect(AssignedNumbers.uuids(named: "battery service") == [0x180F])
        #expect(AssignedNumbers.uuids(named: "heart rate", kind: .service) == [0x180D])
        #expect(AssignedNumbers.uuids(named: "heart rate", kind: .characteristic) == [])
        #expect(AssignedNumbers.uuids(named: "batt") == [] && AssignedNumbers.uuids(named: "") == [])
        #expect(AssignedNumbers.uuids(named: "Nordic UART") == [BluetoothUUIDTests.uart])
        #expect(AssignedNumbers.uuids(named: "☃") == [])
    }

    @Test func partsOfNamesAreSearched() {
        let found = AssignedNumbers.search("heart rate")
        #expect(found.map(\.uuid).contains(0x180D) && found.map(\.uuid).contains(0x2A37))
        #expect(found.allSatisfy { $0.name.lowercased().contains("heart") })
        #expect(AssignedNumbers.search("heart rate", kind: .service).map(\.uuid) == [0x180D])
        #expect(AssignedNumbers.search("no such thing at all").isEmpty)
    }

    @Test func companiesHaveNames() {
        #expect(CompanyIdentifier.apple.name == "Apple, Inc.")
        #expect(CompanyIdentifier(rawValue: 0).name == "Ericsson AB")
        #expect(CompanyIdentifier.nordicSemiconductor.name?.contains("Nordic Semiconductor") == true)
        #expect(CompanyIdentifier.polar.name?.contains("Polar") == true)
        #expect(CompanyIdentifier.unassigned.name == nil && CompanyIdentifier.unassigned.description == "0xFFFF")
        #expect(AssignedNumbers.companies(named: "apple inc") == [.apple])
        #expect(AssignedNumbers.companies(containing: "nordic").contains(.nordicSemiconductor))
        #expect(AssignedNumbers.companies(named: "Société des Produits Nestlé S.A.").count == 1)
        let constants: [(CompanyIdentifier, String)] = [
            (.microsoft, "Microsoft"), (.texasInstruments, "Texas Instruments"), (.google, "Google"), (.ruuvi, "Ruuvi"),
        ]
        for (company, name) in constants { #expect(company.name?.contains(name) == true, "\(name)") }
    }

    @Test func appearancesHaveNames() {
        #expect(Appearance.unknown.name == "Unknown")
        #expect(Appearance.heartRateBelt.name == "Heart Rate Sensor: Heart Rate Belt")
        #expect(Appearance.heartRateBelt.categoryName == "Heart Rate Sensor")
        #expect(Appearance(category: 13, subcategory: 1) == .heartRateBelt)
        #expect(Appearance.heartRateBelt.category == 13 && Appearance.heartRateBelt.subcategory == 1)
        #expect(Appearance(category: 13, subcategory: 63).name == "Heart Rate Sensor")
        #expect(Appearance(category: 1000).name == nil && Appearance(rawValue: 0xFFFF).description == "0xFFFF")
        let constants: [(Appearance, String)] = [
            (.phone, "Phone"), (.computer, "Computer"), (.watch, "Watch"), (.thermometer, "Thermometer"),
            (.heartRateSensor, "Heart Rate Sensor"), (.bloodPressure, "Blood Pressure"), (.keyboard, "Keyboard"),
            (.mouse, "Mouse"), (.glucoseMeter, "Glucose Meter"), (.sensor, "Sensor"),
            (.pulseOximeter, "Pulse Oximeter"), (.weightScale, "Weight Scale"),
        ]
        for (appearance, name) in constants { #expect(appearance.name?.contains(name) == true, "\(name)") }
    }
}
