extension AdvertisingData {
    /// The calibrated signal strength of a beacon at one metre, in dBm; nil if the data is of neither known format.
    /// Apple's format has it in the last byte. Google's Eddystone has the signal strength at zero metres, which is 41
    /// dB higher.
    public var calibratedPower: Int8? {
        if let data = manufacturerData(of: CompanyIdentifier(rawValue: 0x004C)), data.count == 23,
            data.starts(with: [0x02, 0x15])
        {
            return Int8(bitPattern: data[22])
        }
        // Eddystone-UID (00), URL (10) and EID (30) frames have it in their second byte.
        let frame = allServiceData.first { service, data in
            service == "FEAA" && data.count >= 2 && [0x00, 0x10, 0x30].contains(data[0])
        }
        return frame.map { Int8(clamping: Int(Int8(bitPattern: $0.data[1])) - 41) }
    }
}
