/// The built-in rules, in YAML.
package enum BuiltInRules {
    /// The files with their names.
    package static let files: [(name: String, text: String)] = [
        ("blood-pressure-acc-aha.yaml", accAHA), ("blood-pressure-esc.yaml", esc), ("glucose.yaml", glucose),
        ("body.yaml", body), ("oxygen.yaml", oxygen), ("temperature.yaml", temperature),
    ]

    private static let accAHA = """
        # Table 6: categories of blood pressure in adults. The higher category counts. Table 11: the home values that
        # correspond to office values are 130/80 to 130/80 and 135/85 to 140/90. The guideline of 2025 keeps the
        # categories and the home values. Neither has a home value for severe hypertension. The source has limits in
        # mmHg only. Those in kPa are rounded to one decimal, and so is a value with more decimals before it is
        # compared: 18.67 kPa, which are 140.04 mmHg, are compared as 18.7 kPa.
        source: "Whelton et al., 2017 ACC/AHA Guideline for High Blood Pressure in Adults, \
        Hypertension 2018;71:e13, table 6"
        name: ACC/AHA 2017
        year: 2017
        version: "3"
        guideline: acc-aha
        decimals: {kPa: 1}
        rules:
          - id: acc-aha-2017-severe
            kind: bloodPressure
            any: {systolic: {mmHg: {above: 180}, kPa: {above: 24.0}}, diastolic: {mmHg: {above: 120}, kPa: {above: 16.0}}}
            code: severe
            range: severe hypertension
            interpretation: HH
            urgent: true
          - id: acc-aha-2017-home-stage-2
            kind: bloodPressure
            source: "Whelton et al., 2017 ACC/AHA Guideline for High Blood Pressure in Adults, \
        Hypertension 2018;71:e13, table 11"
            name: ACC/AHA 2017
            year: 2017
            setting: home
            any: {systolic: {mmHg: {min: 135}, kPa: {min: 18.0}}, diastolic: {mmHg: {min: 85}, kPa: {min: 11.3}}}
            code: stage-2
            range: stage 2 hypertension
            interpretation: H
          - id: acc-aha-2017-stage-2
            kind: bloodPressure
            setting: office
            any: {systolic: {mmHg: {min: 140}, kPa: {min: 18.7}}, diastolic: {mmHg: {min: 90}, kPa: {min: 12.0}}}
            code: stage-2
            range: stage 2 hypertension
            interpretation: H
          - id: acc-aha-2017-stage-1
            kind: bloodPressure
            any: {systolic: {mmHg: {min: 130}, kPa: {min: 17.3}}, diastolic: {mmHg: {min: 80}, kPa: {min: 10.7}}}
            code: stage-1
            range: stage 1 hypertension
            interpretation: H
          - id: acc-aha-2017-elevated
            kind: bloodPressure
            any: {systolic: {mmHg: {min: 120}, kPa: {min: 16.0}}}
            code: elevated
            range: elevated blood pressure
            interpretation: H
          - id: nhlbi-low
            kind: bloodPressure
            source: "National Heart, Lung, and Blood Institute, Low Blood Pressure, 2022"
            name: NHLBI 2022
            year: 2022
            any: {systolic: {mmHg: {below: 90}, kPa: {below: 12.0}}, diastolic: {mmHg: {below: 60}, kPa: {below: 8.0}}}
            code: low
            range: low blood pressure
            interpretation: L
          - id: acc-aha-2017-normal
            kind: bloodPressure
            all: {systolic: {mmHg: {below: 120}, kPa: {below: 16.0}}, diastolic: {mmHg: {below: 80}, kPa: {below: 10.7}}}
            code: normal
            range: normal blood pressure
            interpretation: N
        """

    private static let esc = """
        # Figure 10 and table 5: categories by office and by home measurement. The higher category counts. The source
        # has limits in mmHg only. Those in kPa are rounded to one decimal, and so is a value before it is compared.
        source: "McEvoy et al., 2024 ESC Guidelines for elevated blood pressure and hypertension, Eur Heart J 2024;45:3912"
        name: ESC 2024
        year: 2024
        version: "2"
        guideline: esc
        decimals: {kPa: 1}
        rules:
          - id: esc-2024-severe
            kind: bloodPressure
            any: {systolic: {mmHg: {min: 180}, kPa: {min: 24.0}}, diastolic: {mmHg: {min: 110}, kPa: {min: 14.7}}}
            code: hypertension
            range: severe hypertension
            interpretation: HH
            urgent: true
          - id: esc-2024-office-hypertension
            kind: bloodPressure
            setting: office
            any: {systolic: {mmHg: {min: 140}, kPa: {min: 18.7}}, diastolic: {mmHg: {min: 90}, kPa: {min: 12.0}}}
            code: hypertension
            range: hypertension
            interpretation: H
          - id: esc-2024-home-hypertension
            kind: bloodPressure
            setting: home
            any: {systolic: {mmHg: {min: 135}, kPa: {min: 18.0}}, diastolic: {mmHg: {min: 85}, kPa: {min: 11.3}}}
            code: hypertension
            range: hypertension
            interpretation: H
          - id: esc-2024-elevated
            kind: bloodPressure
            any: {systolic: {mmHg: {min: 120}, kPa: {min: 16.0}}, diastolic: {mmHg: {min: 70}, kPa: {min: 9.3}}}
            code: elevated
            range: elevated blood pressure
            interpretation: H
          - id: esc-2024-low
            kind: bloodPressure
            source: "National Heart, Lung, and Blood Institute, Low Blood Pressure, 2022"
            name: NHLBI 2022
            year: 2022
            any: {systolic: {mmHg: {below: 90}, kPa: {below: 12.0}}, diastolic: {mmHg: {below: 60}, kPa: {below: 8.0}}}
            code: low
            range: low blood pressure
            interpretation: L
          - id: esc-2024-non-elevated
            kind: bloodPressure
            all: {systolic: {mmHg: {below: 120}, kPa: {below: 16.0}}, diastolic: {mmHg: {below: 70}, kPa: {below: 9.3}}}
            code: non-elevated
            range: non-elevated blood pressure
            interpretation: N
        """

    private static let glucose = """
        # The borders stand in each unit by themselves: 10.0 mmol/L is in range, and its conversion is not used.
        source: "Battelino et al., International Consensus on Time in Range, Diabetes Care 2019;42:1593"
        name: International Consensus 2019
        year: 2019
        version: "1"
        rules:
          - id: consensus-2019-level-2-hypoglycaemia
            kind: glucose
            any: {glucose: {mg/dL: {below: 54}, mmol/L: {below: 3.0}}}
            code: hypoglycaemia-level-2
            range: level 2 hypoglycaemia
            interpretation: LL
            urgent: true
          - id: consensus-2019-level-1-hypoglycaemia
            kind: glucose
            any: {glucose: {mg/dL: {below: 70}, mmol/L: {below: 3.9}}}
            code: hypoglycaemia-level-1
            range: level 1 hypoglycaemia
            interpretation: L
          - id: consensus-2019-very-high
            kind: glucose
            any: {glucose: {mg/dL: {above: 250}, mmol/L: {above: 13.9}}}
            code: very-high
            range: level 2 hyperglycaemia
            interpretation: HH
          - id: consensus-2019-high
            kind: glucose
            any: {glucose: {mg/dL: {above: 180}, mmol/L: {above: 10.0}}}
            code: high
            range: level 1 hyperglycaemia
            interpretation: H
          - id: consensus-2019-in-range
            kind: glucose
            all: {glucose: {mg/dL: {min: 70, max: 180}, mmol/L: {min: 3.9, max: 10.0}}}
            code: in-range
            range: the target range
            interpretation: N
          - id: consensus-2019-cgm-level-2-hypoglycaemia
            kind: continuousGlucose
            any: {glucose: {mg/dL: {below: 54}, mmol/L: {below: 3.0}}}
            code: hypoglycaemia-level-2
            range: level 2 hypoglycaemia
            interpretation: LL
            urgent: true
          - id: consensus-2019-cgm-level-1-hypoglycaemia
            kind: continuousGlucose
            any: {glucose: {mg/dL: {below: 70}, mmol/L: {below: 3.9}}}
            code: hypoglycaemia-level-1
            range: level 1 hypoglycaemia
            interpretation: L
          - id: consensus-2019-cgm-very-high
            kind: continuousGlucose
            any: {glucose: {mg/dL: {above: 250}, mmol/L: {above: 13.9}}}
            code: very-high
            range: level 2 hyperglycaemia
            interpretation: HH
          - id: consensus-2019-cgm-high
            kind: continuousGlucose
            any: {glucose: {mg/dL: {above: 180}, mmol/L: {above: 10.0}}}
            code: high
            range: level 1 hyperglycaemia
            interpretation: H
          - id: consensus-2019-cgm-in-range
            kind: continuousGlucose
            all: {glucose: {mg/dL: {min: 70, max: 180}, mmol/L: {min: 3.9, max: 10.0}}}
            code: in-range
            range: the target range
            interpretation: N
        """

    private static let body = """
        source: "World Health Organization, Obesity: preventing and managing the global epidemic, Technical Report Series 894, 2000, table 2.1"
        name: WHO 2000
        year: 2000
        version: "1"
        rules:
          - id: who-2000-underweight
            kind: weight
            all: {bmi: {kg/m²: {below: 18.5}}}
            code: underweight
            range: underweight
            interpretation: L
          - id: who-2000-normal
            kind: weight
            all: {bmi: {kg/m²: {min: 18.5, below: 25}}}
            code: normal
            range: normal weight
            interpretation: N
          - id: who-2000-overweight
            kind: weight
            all: {bmi: {kg/m²: {min: 25, below: 30}}}
            code: overweight
            range: overweight
            interpretation: H
          - id: who-2000-obese
            kind: weight
            all: {bmi: {kg/m²: {min: 30}}}
            code: obese
            range: obesity
            interpretation: H
        """

    private static let oxygen = """
        # Altitude and chronic disease shift these borders; the lower limit of a person's target replaces them.
        source: "World Health Organization, Pulse Oximetry Training Manual, 2011"
        name: WHO 2011
        year: 2011
        version: "1"
        rules:
          - id: who-2011-emergency
            kind: oxygenSaturation
            replacedByTarget: true
            all: {spO2: {"%": {below: 90}}}
            code: very-low
            range: a clinical emergency
            interpretation: LL
            urgent: true
          - id: who-2011-low
            kind: oxygenSaturation
            replacedByTarget: true
            all: {spO2: {"%": {below: 95}}}
            code: low
            range: low oxygen saturation
            interpretation: L
          - id: who-2011-normal
            kind: oxygenSaturation
            replacedByTarget: true
            all: {spO2: {"%": {min: 95}}}
            code: normal
            range: normal oxygen saturation
            interpretation: N
        """

    private static let temperature = """
        # Fever is defined for any site of measurement, hypothermia by the core temperature: skin in the cold is below
        # 35 degrees.
        source: "Marcy et al., Fever as an adverse event following immunization: case definition, Brighton Collaboration, Vaccine 2004;22:551"
        name: Brighton Collaboration 2004
        year: 2004
        version: "2"
        rules:
          - id: erc-2021-hypothermia
            kind: temperature
            source: "Lott et al., European Resuscitation Council Guidelines 2021: Cardiac arrest in special circumstances, Resuscitation 2021;161:152"
            name: ERC 2021
            year: 2021
            all: {temperature: {°C: {below: 35.0}, °F: {below: 95.0}}}
            exceptedSites: [armpit, finger, toe]
            code: hypothermia
            range: hypothermia
            interpretation: LL
            urgent: true
          - id: brighton-2004-fever
            kind: temperature
            all: {temperature: {°C: {min: 38.0}, °F: {min: 100.4}}}
            code: fever
            range: fever
            interpretation: H
          - id: brighton-2004-no-fever
            kind: temperature
            all: {temperature: {°C: {min: 35.0, below: 38.0}, °F: {min: 95.0, below: 100.4}}}
            code: normal
            range: no fever
            interpretation: N
        """
}
