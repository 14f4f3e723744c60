import BluetoothModel

/// The known characteristic and descriptor types, by UUID.
public enum Profiles {
    /// All known types.
    public static let types: [any CharacteristicType.Type] = [
        DeviceName.self, AppearanceValue.self, PreferredConnectionParameters.self, TxPowerLevel.self,
        ClientCharacteristicConfiguration.self, CharacteristicUserDescription.self,
        CharacteristicPresentationFormat.self, CharacteristicAggregateFormat.self, ValidRange.self,
        BatteryLevel.self,
        ManufacturerName.self, ModelNumber.self, SerialNumber.self, HardwareRevision.self, FirmwareRevision.self,
        SoftwareRevision.self, SystemID.self, PnPID.self, RegulatoryCertificationData.self,
        HeartRateMeasurement.self, BodySensorLocation.self, HeartRateControlPoint.self,
        TemperatureMeasurement.self, IntermediateTemperature.self, TemperatureType.self, MeasurementInterval.self,
        BloodPressureMeasurement.self, IntermediateCuffPressure.self, BloodPressureFeature.self,
        GlucoseMeasurement.self, GlucoseMeasurementContext.self, GlucoseFeature.self, RecordAccessControlPoint.self,
        CGMMeasurement.self, CGMFeature.self, CGMStatus.self, CGMSessionStartTime.self, CGMSessionRunTime.self,
        CGMSpecificOpsControlPoint.self,
        WeightMeasurement.self, WeightScaleFeature.self, BodyCompositionMeasurement.self, BodyCompositionFeature.self,
        PLXSpotCheckMeasurement.self, PLXContinuousMeasurement.self, PLXFeatures.self,
        CurrentTime.self, LocalTimeInformation.self, ReferenceTimeInformation.self, DateTimeValue.self,
        CSCMeasurement.self, CSCFeature.self, SensorLocation.self, SpeedAndCadenceControlPoint.self,
        RSCMeasurement.self, RSCFeature.self, CyclingPowerMeasurement.self, IndoorBikeData.self, RowerData.self,
        TreadmillData.self, CrossTrainerData.self, StepClimberData.self, StairClimberData.self,
        FitnessMachineFeature.self, TrainingStatus.self, SupportedSpeedRange.self, SupportedInclinationRange.self,
        SupportedResistanceLevelRange.self, SupportedHeartRateRange.self, SupportedPowerRange.self,
        FitnessMachineControlPoint.self, FitnessMachineStatus.self,
        FirstName.self, LastName.self, EmailAddress.self, UserLanguage.self, Age.self, DateOfBirth.self, Gender.self,
        UserWeight.self, UserHeight.self, WaistCircumference.self, HipCircumference.self, HeartRateMax.self,
        RestingHeartRate.self, MaximumRecommendedHeartRate.self, VO2Max.self, AerobicThreshold.self,
        AnaerobicThreshold.self, DatabaseChangeIncrement.self, UserIndex.self, UserControlPoint.self,
        Temperature.self, Humidity.self, Pressure.self, Elevation.self, TrueWindSpeed.self, TrueWindDirection.self,
        ApparentWindSpeed.self, ApparentWindDirection.self, GustFactor.self, PollenConcentration.self, UVIndex.self,
        Irradiance.self, Rainfall.self, WindChill.self, HeatIndex.self, DewPoint.self, MagneticDeclination.self,
        MagneticFluxDensity2D.self, MagneticFluxDensity3D.self, BarometricPressureTrend.self,
        DescriptorValueChanged.self,
    ]

    private static let byUUID = Dictionary(types.map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns the type of the value of a characteristic or descriptor; nil if unknown.
    public static func type(of uuid: BluetoothUUID) -> (any CharacteristicType.Type)? { byUUID[uuid] }

    /// Decodes the fields of a value; nil if its type is unknown.
    /// - Throws: ``ValueError`` that names the invalid field.
    public static func fields(of bytes: some Sequence<UInt8>, uuid: BluetoothUUID) throws(ValueError) -> [Field]? {
        guard let type = type(of: uuid) else { return nil }
        return try type.fields(of: bytes)
    }
}
