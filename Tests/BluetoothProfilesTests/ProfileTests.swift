import Testing

@testable import BluetoothProfiles

/// Values of each service, from bytes and to bytes.
@Suite struct ProfileTests {
    private func check<Value: GATTValue>(_ hex: String, _ value: Value, _ text: String) throws {
        #expect(try Value(bytes: bytes(hex)) == value)
        #expect(try value.encoded() == bytes(hex))
        #expect(try value.fields().text == text)
    }

    @Test func heartRate() throws {
        try check(
            "06 48",
            HeartRateMeasurement {
                $0.rate = 72
                $0.sensorContact = .detected
            }, "heart rate 72 bpm, sensor contact status detected")
        try check(
            "1F 2C 01 0A 00 00 04 F5 03",
            HeartRateMeasurement {
                $0.rate = 300
                $0.sensorContact = .detected
                $0.energyExpended = 10
                $0.rrIntervals = [1024, 1013]
            },
            "heart rate 300 bpm, sensor contact status detected, energy expended 10 kJ, "
                + "rr interval 1000 989.258 ms")
    }

    /// The flag announces intervals that did not fit into the packet; there is no empty field.
    @Test func heartRateWithTheRRFlagButWithoutIntervals() throws {
        let bytes: [UInt8] = [0x10, 60]
        #expect(try HeartRateMeasurement.fields(of: bytes).text == "60 bpm")
        #expect(try HeartRateMeasurement(bytes: bytes).rrIntervals.isEmpty)
    }

    @Test func bloodPressure() throws {
        try check(
            "1E 78 00 50 00 5D 00 EA 07 0B 15 05 24 02 48 00 01 04 00",
            BloodPressureMeasurement {
                ($0.systolic, $0.diastolic, $0.meanArterialPressure) = (120, 80, 93)
                $0.timeStamp = DateTime(2026, 11, 21, 5, 36, 2)
                $0.pulseRate = 72
                $0.userID = 1
                $0.measurementStatus = .irregularPulse
            },
            "systolic 120 mmHg, diastolic 80 mmHg, mean arterial pressure 93 mmHg, time stamp 2026-11-21T05:36:02, "
                + "pulse rate 72 bpm, user ID 1, measurement status irregularPulseDetected")
        try check(
            "01 A0 F0 FF 07 00 08",
            BloodPressureMeasurement {
                $0.isKilopascals = true
                $0.systolic = ProfileNumber(160, exponent: -1)
                $0.diastolic = .special(.notANumber)
                $0.meanArterialPressure = .special(.notAtThisResolution)
            }, "systolic 16.0 kPa, diastolic NaN, mean arterial pressure NRes")
    }

    @Test func thermometer() throws {
        try check(
            "04 6C 01 00 FF 03",
            TemperatureMeasurement {
                $0.temperature = ProfileNumber(364, exponent: -1)
                $0.temperatureType = .ear
            }, "temperature 36.4 °C, temperature type ear")
    }

    @Test func glucose() throws {
        let value = GlucoseMeasurement {
            $0.sequenceNumber = 5
            $0.baseTime = DateTime(2026, 1, 2, 3, 4, 5)
            $0.timeOffset = -60
            $0.concentration = ProfileNumber(95, exponent: -5)
            $0.type = .capillaryWholeBlood
            $0.sampleLocation = .finger
            $0.contextFollows = true
        }
        try check(
            "13 05 00 EA 07 01 02 03 04 05 C4 FF 5F B0 11", value,
            "sequence number 5, base time 2026-01-02T03:04:05, time offset -60 min, glucose concentration 95 mg/dL, "
                + "type capillary whole blood, sample location finger, context information follows yes")
        #expect(value.usualConcentration?.number.description == "95")
        #expect(value.usualConcentration?.unit.symbol == "mg/dL")
    }

    @Test func scale() throws {
        try check(
            "0E 6C 39 EA 07 0B 15 05 24 02 01 EA 00 06 07",
            WeightMeasurement {
                $0.weight = ProfileNumber(73500, exponent: -3)
                $0.timeStamp = DateTime(2026, 11, 21, 5, 36, 2)
                $0.userID = 1
                $0.bodyMassIndex = .init {
                    $0.index = ProfileNumber(234, exponent: -1)
                    $0.height = ProfileNumber(1798, exponent: -3)
                }
            }, "weight 73.500 kg, time stamp 2026-11-21T05:36:02, user ID 1, BMI 23.4 kg/m², height 1.798 m")
        #expect(try WeightMeasurement(bytes: bytes("00 FF FF")).weight == .special(.notANumber))
    }

    @Test func continuousGlucoseIsProtected() throws {
        let value = CGMMeasurement {
            $0.records = [
                .init {
                    $0.glucoseConcentration = 112
                    $0.timeOffset = 5
                    $0.trend = ProfileNumber(-12, exponent: -1)
                    $0.isProtected = true
                }
            ]
        }
        var encoded = try value.encoded()
        #expect(encoded.count == 10 && encoded[0] == 10)
        #expect(try CGMMeasurement(bytes: encoded) == value)
        encoded[2] ^= 1
        let error = #expect(throws: ValueError.self) { try CGMMeasurement(bytes: encoded) }
        #expect(error?.field == "e2eCRC")
        // The check value of this checksum for "123456789".
        #expect(CRC16.ccitt(Array("123456789".utf8)) == 0x6F91)
    }

    @Test func recordAccess() throws {
        try check(
            "01 01", RecordAccessControlPoint(.report, .all), "op code report stored records, operator all records")
        try check(
            "01 04 01 02 00 05 00", RecordAccessControlPoint(.report, .range(2...5)),
            "op code report stored records, operator within range of, operand 01 02 00 05 00")
        try check(
            "06 00 01 01", RecordAccessControlPoint.response(to: .report, .success),
            "op code response code, operator none, request op code report stored records, response code value success")
        #expect(try RecordAccessControlPoint(bytes: [5, 0, 3, 1]).count == 259)
        #expect(RecordAccessControlPoint(.report, .range(2...5)).records == .range(2...5))
        #expect(RecordAccessControlPoint { ($0.operator, $0.operand) = (.range, [1, 5, 0, 2, 0]) }.records == nil)
        #expect(StoredRecords.range(2...3).selected(among: [1, 2, 3, 4]) == [2, 3])
    }

    @Test func environment() throws {
        try check("34 08", Temperature(ProfileNumber(2100, exponent: -2)), "21.00 °C")
        try check("00 80", Temperature(.special(.unknown)), "unknown")
        try check("9C 18", Humidity(ProfileNumber(6300, exponent: -2)), "63.00 %")
        #expect(throws: ValueError(field: "temperature", reason: "21.005 is not a multiple of 0.01")) {
            try Temperature(ProfileNumber(21005, exponent: -3)).encoded()
        }
        #expect(throws: ValueError(field: "temperature", reason: "400.00 is out of range")) {
            try Temperature(ProfileNumber(40000, exponent: -2)).encoded()
        }
    }

    @Test func time() throws {
        try check(
            "EA 07 0B 15 05 24 02 06 80 02",
            CurrentTime {
                $0.time = DateTime(2026, 11, 21, 5, 36, 2)
                $0.dayOfWeek = Weekday(of: $0.time)
                $0.fractions256 = 128
                $0.adjustReason = .externalReference
            },
            "exact time256 2026-11-21T05:36:02, day of week Saturday, fractions256 0.5, "
                + "adjust reason externalReferenceTimeUpdate")
        #expect(Weekday(of: DateTime(2024, 2, 29)).name == "Thursday")
        #expect(DateTime(0, 0, 0, 1, 2, 3).description == "????-??-??T01:02:03")
        #expect(DateTime(2026, 1, 31) < DateTime(2026, 2, 1))
    }

    @Test func runningAndCycling() throws {
        try check(
            "03 0A 00 00 00 00 04 05 00 00 02",
            CSCMeasurement {
                $0.wheel = RevolutionCount(10, at: 1024)
                $0.crank = RevolutionCount(5, at: 512)
            },
            "cumulative wheel revolutions 10, last wheel event time 1 s, cumulative crank revolutions 5, "
                + "last crank event time 0.5 s")
        #expect(RevolutionCount(12, at: 500).rate(since: RevolutionCount(10, at: 65012), bits: 32) == 2)
        try check(
            "04 00 03 5A",
            RSCMeasurement {
                ($0.speed, $0.cadence, $0.isRunning) = (768, 90, true)
            }, "instantaneous speed 3 m/s, instantaneous cadence 90 /min, walking or running status running")
    }

    @Test func errorsNameTheField() {
        func error(_ type: any GATTValue.Type, _ hex: String) -> String? {
            do throws(ValueError) {
                _ = try type.init(bytes: bytes(hex))
                return nil
            } catch { return error.description }
        }
        #expect(error(BatteryLevel.self, "") == "batteryLevel: 1 byte needed, 0 left")
        #expect(error(BatteryLevel.self, "65") == "batteryLevel: 101 is outside 0...100")
        #expect(error(BatteryLevel.self, "64 00") == "batteryLevel: 1 byte follows the last field")
        #expect(error(HeartRateMeasurement.self, "08 48 01") == "energyExpended: 2 bytes needed, 1 left")
        #expect(error(BloodPressureMeasurement.self, "00 78 00 50") == "diastolic: 2 bytes needed, 1 left")
        #expect(error(CurrentTime.self, "EA 07 0D 01 00 00 00 00 00 00") == "exactTime256.month: 13 is outside 0...12")
        #expect(error(CGMMeasurement.self, "09 00") == "size: 9 bytes, but 2 are left")
        #expect(error(ManufacturerName.self, "FF FE") == "manufacturerName: the bytes are not UTF-8 text")
    }

    @Test func reservedValuesArePreserved() throws {
        let value = try TemperatureMeasurement(bytes: bytes("88 6C 01 00 FF AA BB"))
        #expect(value.reserved.flags == 0x88)
        #expect(value.reserved.bytes == [0xAA, 0xBB])
        #expect(try value.encoded() == bytes("88 6C 01 00 FF AA BB"))
        #expect(throws: ValueError.self) { try TemperatureMeasurement(bytes: bytes("00 6C 01 00 FF AA BB")) }
    }
}

@Suite struct DateTimeTests {
    @Test func everyDateRoundTrips() {
        for day in stride(from: Int64(-150_000), to: 150_000, by: 37) {
            let seconds = day * 86400 + 45_296
            let time = DateTime(secondsSince2000: seconds)
            if time.secondsSince2000 != seconds { Issue.record("\(time)") }
        }
        #expect(DateTime(secondsSince2000: 0) == DateTime(2000, 1, 1))
        #expect(DateTime(2024, 2, 29, 23, 59, 59).adding(seconds: 1) == DateTime(2024, 3, 1))
        #expect(DateTime(2026, 1, 1, 8).secondsSince2000 == 820_569_600)
        #expect(DateTime().secondsSince2000 == nil)
    }

    @Test func timesBeyondTheYearsAreLimited() {
        let start = DateTime(2024, 2, 29, 1, 2, 3)
        let extremes: [Int64] = [.min, .min + 1, .min + 86_400, -(1 << 60), 1 << 60, .max - 1, .max]
        for seconds in extremes {
            let year: UInt16 = seconds < 0 ? 0 : .max
            #expect(start.adding(seconds: seconds).year == year)
            let time = DateTime(secondsSince2000: seconds)
            #expect(time.year == year)
            #expect((1...12).contains(time.month) && (1...31).contains(time.day) && time.hours < 24)
            #expect(time.adding(seconds: seconds).year == time.year)
        }
    }

    @Test func timesThatDoNotExistAreInvalid() {
        #expect(DateTime(2024, 2, 29, 23, 59, 59).isValid && DateTime(1582, 1, 1).isValid)
        for time in [
            DateTime(), DateTime(2026, 2, 29), DateTime(2026, 13, 1), DateTime(2026, 1, 0), DateTime(2026, 1, 1, 24),
            DateTime(2026, 1, 1, 0, 60), DateTime(1581, 12, 31), DateTime(10000, 1, 1),
        ] {
            #expect(!time.isValid, "\(time)")
        }
    }

    @Test(arguments: ["FFFFFFFFFFFFFF", "EA070D01080000", "EA070B14180000", "EA070B1408003C"])
    func aTimeThatIsOutOfRangeIsUnknown(time: String) throws {
        let value = bytes("028E0058006900" + time)
        #expect(throws: ValueError.self) { try BloodPressureMeasurement(bytes: value) }
        let known = try #require(Profiles.withUnknownTimes(value, uuid: BloodPressureMeasurement.uuid))
        #expect(known == bytes("028E005800690000000000000000"))
        #expect(try BloodPressureMeasurement(bytes: known).timeStamp == DateTime())
        // Another field is missing.
        #expect(Profiles.withUnknownTimes(Array(value.dropLast()), uuid: BloodPressureMeasurement.uuid) == nil)
        #expect(Profiles.withUnknownTimes([6] + value.dropFirst(), uuid: BloodPressureMeasurement.uuid) == nil)
        // Nothing is out of range.
        #expect(Profiles.withUnknownTimes(known, uuid: BloodPressureMeasurement.uuid) == nil)
        #expect(Profiles.withUnknownTimes([0xFF], uuid: "2A19") == nil)
    }
}

/// Values in the usual units, which differ from those of the formats.
@Suite struct UsualUnitTests {
    @Test func glucoseIsShownInCommonUnits() throws {
        for (number, isMolar, text) in [
            (ProfileNumber(95, exponent: -5), false, "95 mg/dL"), (ProfileNumber(1, exponent: -3), false, "100 mg/dL"),
            (ProfileNumber(1002, exponent: -6), false, "100.2 mg/dL"),
            (ProfileNumber(55, exponent: -4), true, "5.5 mmol/L"),
            (ProfileNumber(6, exponent: -3), true, "6 mmol/L"), (.special(.notANumber), true, "NaN"),
        ] {
            let fields = try GlucoseMeasurement {
                $0.concentration = number
                $0.isMolar = isMolar
            }.fields()
            let field = try #require(fields.first { $0.name == "glucoseConcentration" })
            #expect(field.valueText == text)
            // The field itself has the number and the unit of the specification.
            #expect(field.value == .number(number) && field.unit == (isMolar ? .molesPerLitre : .kilogramsPerLitre))
        }
    }

    @Test func mealsAndMedicinesAreInSmallUnits() throws {
        let context = GlucoseMeasurementContext {
            $0.carbohydrates = .init { $0.mass = ProfileNumber(25, exponent: -3) }
            $0.medication = ProfileNumber(12, exponent: -6)
        }
        #expect(try context.fields().map(\.valueText).contains("25 g"))
        #expect(try context.fields().map(\.valueText).contains("12 mg"))
    }
}

/// Values of sports equipment, and the descriptors of formats.
@Suite struct SportAndFormatTests {
    private func text(_ type: any CharacteristicType.Type, _ hex: String) throws -> String {
        try type.fields(of: bytes(hex)).text
    }

    @Test func cyclingPower() throws {
        #expect(
            try text(CyclingPowerMeasurement.self, "3000 C800 0A000000 0008 1400 0004")
                == "instantaneous power 200 W, cumulative wheel revolutions 10, last wheel event time 1 s, "
                + "cumulative crank revolutions 20, last crank event time 1 s")
        #expect(
            try text(CyclingPowerMeasurement.self, "0D01 F6FF 64 4000 5A4010")
                == "instantaneous power -10 W, pedal power balance 50.0 %, accumulated torque 2 N·m, "
                + "minimum angle 260 °, maximum angle 90 °")
    }

    @Test func indoorBikesAndRowers() throws {
        #expect(
            try text(IndoorBikeData.self, "4402 C409 B400 C800 48")
                == "instantaneous speed 25.00 km/h, instantaneous cadence 90.0 /min, instantaneous power 200 W, "
                + "heart rate 72 bpm")
        // Without speed.
        #expect(try text(IndoorBikeData.self, "0100") == "")
        #expect(
            try text(RowerData.self, "2800 30 0A00 7800 9600")
                == "stroke rate 24.0 /min, stroke count 10, instantaneous pace 120 s, instantaneous power 150 W")
    }

    @Test func treadmills() throws {
        // All fields: speed 8.50, average 8.00, 1234 m, 1.5 % and 2.5°, 12.3 m up and 0.4 m down, paces, 100 kcal, 300
        // and 5 kcal, 120 bpm, 7.5, 600 s, 1200 s, 50 N and 180 W.
        let all =
            "FE1F 5203 2003 D20400 0F00 1900 7B00 0400 0E 0D 6400 2C01 05 78 4B 5802 B004 3200 B400"
        #expect(
            try text(TreadmillData.self, all)
                == "instantaneous speed 8.50 km/h, average speed 8.00 km/h, total distance 1234 m, inclination 1.5 %, "
                + "ramp angle setting 2.5 °, positive elevation gain 12.3 m, negative elevation gain 0.4 m, "
                + "instantaneous pace 1.4 km/min, average pace 1.3 km/min, total energy 100 kcal, "
                + "energy per hour 300 kcal, energy per minute 5 kcal, heart rate 120 bpm, metabolic equivalent 7.5, "
                + "elapsed time 600 s, remaining time 1200 s, force on belt 50 N, power output 180 W")
        // Paces of two octets, as their length tells; without speed.
        #expect(
            try text(TreadmillData.self, "6101 7800 8200 48")
                == "instantaneous pace 120 s, average pace 130 s, heart rate 72 bpm")
        // Unknown values.
        #expect(
            try text(TreadmillData.self, "8910 FF7F FF7F FFFF FFFF FF FF7F FF7F")
                == "inclination unknown, ramp angle setting unknown, total energy unknown, energy per hour unknown, "
                + "energy per minute unknown, force on belt unknown, power output unknown")
        #expect(throws: ValueError.self) { try text(TreadmillData.self, "0000 52") }
    }

    @Test func crossTrainersAndClimbers() throws {
        // Flags of three octets.
        #expect(
            try text(
                CrossTrainerData.self,
                "FEFF00 5203 2003 D20400 5000 4B00 FA00 0A00 0200 0F00 1900 3200 B400 AA00 6400 2C01 05 78 4B 5802 B004"
            )
                == "instantaneous speed 8.50 km/h, average speed 8.00 km/h, total distance 1234 m, "
                + "steps per minute 80 /min, average step rate 75 /min, stride count 25.0, "
                + "positive elevation gain 10 m, negative elevation gain 2 m, inclination 1.5 %, "
                + "ramp angle setting 2.5 °, resistance level 5.0, instantaneous power 180 W, average power 170 W, "
                + "total energy 100 kcal, energy per hour 300 kcal, energy per minute 5 kcal, heart rate 120 bpm, "
                + "metabolic equivalent 7.5, elapsed time 600 s, remaining time 1200 s, movement direction backward")
        #expect(try text(CrossTrainerData.self, "010000") == "forward")
        #expect(
            try text(StepClimberData.self, "FE01 0300 6400 3C00 3A00 0900 6400 2C01 05 78 4B 5802 B004")
                == "floors 3, step count 100, steps per minute 60 /min, average step rate 58 /min, "
                + "positive elevation gain 9 m, total energy 100 kcal, energy per hour 300 kcal, "
                + "energy per minute 5 kcal, heart rate 120 bpm, metabolic equivalent 7.5, elapsed time 600 s, "
                + "remaining time 1200 s")
        #expect(
            try text(StairClimberData.self, "FE03 0300 3C00 3A00 0900 7800 6400 2C01 05 78 4B 5802 B004")
                == "floors 3, steps per minute 60 /min, average step rate 58 /min, positive elevation gain 9 m, "
                + "stride count 120, total energy 100 kcal, energy per hour 300 kcal, energy per minute 5 kcal, "
                + "heart rate 120 bpm, metabolic equivalent 7.5, elapsed time 600 s, remaining time 1200 s")
        // Without floors: another notification has them.
        #expect(try text(StepClimberData.self, "0100") == "")
        #expect(try text(StairClimberData.self, "4100 48") == "72 bpm")
    }

    @Test func fitnessMachines() throws {
        #expect(
            try text(FitnessMachineFeature.self, "02400000 0C200000")
                == "features cadence + power, target settings resistance + power + bikeSimulation")
        #expect(try text(TrainingStatus.self, "00 0D") == "manual mode")
        #expect(
            try text(TrainingStatus.self, "01 02 5761726D")
                == "training status warming up, training status string \"Warm\"")
        #expect(
            try text(SupportedSpeedRange.self, "6400 D007 0A00")
                == "minimum 1.00 km/h, maximum 20.00 km/h, minimum increment 0.10 km/h")
        #expect(
            try text(SupportedInclinationRange.self, "E2FF 9600 0500")
                == "minimum -3.0 %, maximum 15.0 %, minimum increment 0.5 %")
        #expect(
            try text(SupportedResistanceLevelRange.self, "0000 E803 0A00")
                == "minimum 0.0, maximum 100.0, minimum increment 1.0")
        #expect(
            try text(SupportedHeartRateRange.self, "3C DC 01")
                == "minimum 60 bpm, maximum 220 bpm, minimum increment 1 bpm")
        #expect(
            try text(SupportedPowerRange.self, "0000 DC05 0100")
                == "minimum 0 W, maximum 1500 W, minimum increment 1 W")
    }

    @Test func fitnessMachineCommandsAndStates() throws {
        #expect(try text(FitnessMachineControlPoint.self, "00") == "request control")
        #expect(try text(FitnessMachineControlPoint.self, "05 C800") == "op code set target power, power 200 W")
        #expect(
            try text(FitnessMachineControlPoint.self, "11 E803 9600 28 33")
                == "op code set indoor bike simulation parameters, wind speed 1.000 m/s, grade 1.50 %, "
                + "rolling resistance 0.0040, wind resistance 0.51")
        #expect(
            try text(FitnessMachineControlPoint.self, "80 05 03")
                == "op code response code, request op code set target power, result code invalid parameter")
        #expect(
            try text(FitnessMachineControlPoint.self, "14 B400") == "op code set targeted cadence, cadence 90.0 /min")
        #expect(
            try text(FitnessMachineControlPoint.self, "12 3752")
                == "op code set wheel circumference, wheel circumference 2104.7 mm")
        // A parameter of another length is shown as it is.
        #expect(try text(FitnessMachineControlPoint.self, "05 C8") == "op code set target power, parameter C8")
        #expect(try text(FitnessMachineStatus.self, "FF") == "control permission lost")
        #expect(try text(FitnessMachineStatus.self, "02 01") == "event stopped or paused by the user, parameter 01")
        #expect(
            try text(FitnessMachineStatus.self, "0D 881300") == "event targeted distance changed, distance 5000 m")
        #expect(
            try text(FitnessMachineStatus.self, "10 3C00 7800 B400")
                == "event targeted time in three heart rate zones changed, time in light zone 60 s, "
                + "time in moderate zone 120 s, time in hard zone 180 s")
    }

    @Test func presentationFormats() throws {
        let format = try CharacteristicPresentationFormat(bytes: bytes("0E FE 2F27 01 0000"))
        #expect(format.exponent == -2 && format.unit == 0x272F)
        #expect(try format.field(of: bytes("CA09"))?.value == .number(ProfileNumber(2506, exponent: -2)))
        #expect(throws: ValueError.self) { try format.field(of: bytes("CA")) }
        #expect(try text(CharacteristicAggregateFormat.self, "1200 1500") == "0x0012 0x0015")
        #expect(
            try text(ValidRange.self, "0000 6400") == "lower inclusive value 00 00, upper inclusive value 64 00")
        #expect(throws: ValueError.self) { try text(ValidRange.self, "000064") }
    }
}
