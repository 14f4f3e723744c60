extension AdvertisingData {
    /// What a beacon was calibrated to be heard with at one metre, in dBm: Apple's format says it in its last byte,
    /// Google's Eddystone says what would be heard at no distance, which is 41 dB more. Nil where neither is there.
    public var calibratedPower: Int8? {
        if let data = manufacturerData(of: CompanyIdentifier(rawValue: 0x004C)), data.count == 23,
            data.starts(with: [0x02, 0x15])
        {
            return Int8(bitPattern: data[22])
        }
        // Frames with an identifier (00), a link (10) and a changing identifier (30) have it in their second byte.
        if let data = serviceData["FEAA"], data.count >= 2, [0x00, 0x10, 0x30].contains(data[0]) {
            return Int8(clamping: Int(Int8(bitPattern: data[1])) - 41)
        }
        return nil
    }
}
