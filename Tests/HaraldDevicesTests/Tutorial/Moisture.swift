import HaraldDevices

struct Moisture: GATTValue {
    var percent: ProfileNumber = 0
    mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("moisture", &percent, .decimal(.uint16, -1), unit: .percent)
    }
}
