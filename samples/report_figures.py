"""The figures of the sample annual report, the tables made from them, and the checks that keep them consistent."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

Figure = tuple[Decimal, ...]
Row = tuple[str, Figure, str]
YEARS = ("2024", "2023", "2022")

# One line per figure: its key, then fiscal 2024, 2023 (as restated) and 2022. Millions of dollars unless noted.
SOURCE = """
rev_met 612.4 571.8 538.6
rev_con 318.7 329.5 301.2
rev_fs 206.3 178.9 149.4
cost_prod 541.8 529.6 489.7
cost_serv 131.9 115.2 98.3
rnd 88.6 81.3 74.9
sga 214.3 206.1 190.4
amort 18.2 17.4 15.1
restruct 9.7 3.2 0.0
impair 0.0 21.5 0.0
int_exp 27.4 24.9 17.8
int_inc 3.1 2.2 0.8
other_inc -1.6 0.9 -2.3
tax 25.9 24.4 23.6
nci_inc 2.3 1.9 1.6
sh_basic 51.9 52.1 52.5
sh_dil 52.6 52.9 53.4
dps 0.45 0.42 0.39
seg_met 98.3 90.7 86.2
seg_con 44.8 24.2 49.6
seg_fs 27.9 20.3 14.8
seg_corp -38.1 -29.3 -29.8
geo_us 521.9 503.6 468.1
geo_ca 88.4 81.0 73.2
geo_eu 339.5 318.7 291.6
geo_ap 138.2 129.4 114.5
geo_la 49.4 47.5 41.8
backlog 486.0 441.5 377.2
cash 118.6 108.9 106.9
receiv 214.7 200.3 181.9
invent 163.8 171.2 147.6
contract 31.4 28.7 21.2
other_ca 22.9 24.1 20.4
ppe 255.1 241.6 218.9
rou 61.3 57.9 52.4
goodwill 338.2 319.5 312.6
intang 126.5 130.9 121.7
dta 24.6 22.3 18.4
other_nca 13.5 12.7 11.8
payable 104.8 98.7 90.3
accrued 92.4 88.6 79.2
defrev_c 61.2 54.8 41.9
debt_c 25.0 20.0 15.0
lease_c 13.7 12.9 11.6
lease_n 50.9 48.1 43.5
defrev_n 24.7 21.6 15.7
pension 19.8 21.4 24.3
dtl 27.3 28.5 29.2
other_ncl 18.6 17.2 16.9
apic 214.3 199.6 186.4
retained 499.1 443.7 407.8
aoci -33.5 -27.5 -28.6
treasury -147.9 -127.8 -112.5
nci 18.4 17.2 16.2
oci -6.0 1.1 -7.2
dep 34.6 32.9 30.8
sbc 14.7 13.2 11.6
cf_dtax -3.8 -6.4 -2.7
cf_rec -12.9 -16.8 -9.5
cf_inv 8.4 -21.7 -14.2
cf_pay 5.6 7.9 4.3
cf_def 9.3 18.6 6.1
cf_oth -4.7 1.7 -3.6
capex -47.2 -52.8 -41.9
acq -36.0 -64.5 0.0
disposal 2.9 1.4 1.1
borrow 60.0 120.0 40.0
repay -75.0 -90.0 -55.0
div -23.4 -21.9 -20.5
buyback -20.1 -15.3 -24.8
nci_div -1.1 -0.9 -0.7
fx_cash -0.9 -2.0 -1.7
cash_open 108.9 106.9 94.6
loan_term 150.0 170.0 185.0
loan_notes 200.0 200.0 200.0
loan_rcf 60.0 55.0 10.0
loan_cost -3.2 -3.9 -3.1
tr_state 2.6 2.3 2.4
tr_foreign 3.4 2.9 2.7
tr_impair 0.0 4.5 0.0
tr_rnd -4.1 -3.8 -3.4
tr_utb 0.9 0.6 0.4
tr_other 0.6 0.2 0.2
lc_oper 15.8 14.6 13.2
lc_short 2.1 1.9 1.7
lc_var 3.4 3.0 2.6
hc_mfg 1846 1902 1815
hc_field 1289 1124 968
hc_rnd 583 561 528
hc_sales 674 655 619
hc_admin 420 413 388
hr_na 2104 2071 1963
hr_eu 1587 1529 1402
hr_ap 846 798 721
hr_la 275 257 232
wa_open 14.2 12.7 11.9
wa_add 9.8 10.3 8.6
wa_used -8.9 -8.8 -7.8
wa_close 15.1 14.2 12.7
rs_open 1.1 0.0 0.0
rs_paid -5.9 -2.1 0.0
rs_noncash -1.4 0.0 0.0
rs_close 3.5 1.1 0.0
gm_open 147.6 148.2 148.2
em_s1 18.4 19.7 20.1
em_s2 22.6 26.3 29.8
water 312 328 341
recycled 81 78 74
injury 0.94 1.12 1.31
"""


def numbers(text: str) -> Figure:
    """Read a row of numbers separated by spaces."""
    return tuple(Decimal(part) for part in text.split())


F: dict[str, Figure] = {line.split()[0]: numbers(line.split(" ", 1)[1]) for line in SOURCE.strip().splitlines()}


def add(keys: str) -> Figure:
    """Add up figures by key, year by year; a key that starts with a minus sign is taken away."""
    signed = [(-1 if key[0] == "-" else 1, F[key.lstrip("-")]) for key in keys.split()]
    return tuple(sum((sign * values[year] for sign, values in signed), Decimal(0)) for year in range(3))


def rounded(value: Decimal, step: str = "0.1") -> Decimal:
    """Round half up, as the printed tables do."""
    return value.quantize(Decimal(step), ROUND_HALF_UP)


def ratio(top: str, bottom: str, scale: int = 1, step: str = "0.1") -> Figure:
    """Divide one figure by another, year by year."""
    return tuple(rounded(a * scale / b, step) for a, b in zip(F[top], F[bottom], strict=True))


def minus(key: str) -> Figure:
    """The same figure with its sign turned, for costs that are printed in brackets."""
    return tuple(-value for value in F[key])


TOTALS = {
    "rev_prod": "rev_met rev_con",
    "rev": "rev_prod rev_fs",
    "cost": "cost_prod cost_serv",
    "gross": "rev -cost",
    "opex": "rnd sga amort restruct impair",
    "op": "gross -opex",
    "pretax": "op -int_exp int_inc other_inc",
    "net": "pretax -tax",
    "net_att": "net -nci_inc",
    "comp": "net oci",
    "assets_c": "cash receiv invent contract other_ca",
    "assets": "assets_c ppe rou goodwill intang dta other_nca",
    "liab_c": "payable accrued defrev_c debt_c lease_c",
    "debt": "loan_term loan_notes loan_rcf",
    "debt_book": "debt loan_cost",
    "debt_n": "debt_book -debt_c",
    "liab_n": "debt_n lease_n defrev_n pension dtl other_ncl",
    "liab": "liab_c liab_n",
    "eq_own": "apic retained aoci treasury",
    "equity": "eq_own nci",
    "liab_eq": "liab equity",
    "defrev": "defrev_c defrev_n",
    "lease": "lease_c lease_n",
    "cfo": "net dep amort sbc impair cf_dtax cf_rec cf_inv cf_pay cf_def cf_oth",
    "cfi": "capex acq disposal",
    "cff": "borrow repay div buyback nci_div",
    "cash_chg": "cfo cfi cff fx_cash",
    "fcf": "cfo capex",
    "ebitda": "op dep amort sbc restruct impair",
    "netdebt": "debt -cash",
    "leasecost": "lc_oper lc_short lc_var",
    "hc": "hc_mfg hc_field hc_rnd hc_sales hc_admin",
    "em": "em_s1 em_s2",
}
for name, keys in TOTALS.items():
    F[name] = add(keys)
F["tr_stat"] = tuple(rounded(value * Decimal("0.21")) for value in F["pretax"])
F["eps_basic"] = ratio("net_att", "sh_basic", step="0.01")
F["eps_dil"] = ratio("net_att", "sh_dil", step="0.01")
F["gm_pct"] = ratio("gross", "rev", 100)
F["op_pct"] = ratio("op", "rev", 100)
F["tax_pct"] = ratio("tax", "pretax", 100)
F["leverage"] = ratio("netdebt", "ebitda", step="0.01")
F["intensity"] = ratio("em", "rev", 1000)

# Fiscal 2023: as first reported, the correction, as restated.
RESTATED = {
    "Revenue": numbers("1092.6 -12.4 1080.2"),
    "Cost of revenue": numbers("648.9 -4.1 644.8"),
    "Operating income": numbers("114.2 -8.3 105.9"),
    "Income tax expense": numbers("26.4 -2.0 24.4"),
    "Net income": numbers("66.0 -6.3 59.7"),
    "Net income attributable to Velmoor shareholders": numbers("64.1 -6.3 57.8"),
    "Earnings per share – diluted (in dollars)": numbers("1.21 -0.12 1.09"),
    "Deferred revenue, current and non-current": numbers("64.0 12.4 76.4"),
    "Deferred tax assets": numbers("20.3 2.0 22.3"),
    "Contract assets and deferred contract costs": numbers("24.6 4.1 28.7"),
    "Retained earnings": numbers("450.0 -6.3 443.7"),
}
QUARTERS = {
    "Revenue": numbers("261.5 278.3 289.9 307.7"),
    "Operating income": numbers("24.8 31.2 35.6 41.3"),
    "Net income attributable to Velmoor shareholders": numbers("14.1 18.4 21.4 24.9"),
}
PAY = {
    "Marten Quillhorne, Chief Executive Officer": numbers("920 806 2400 58 4184"),
    "Saira Ashvane, Chief Financial Officer": numbers("560 392 1050 41 2043"),
    "Tobren Eskilaw, Chief Operating Officer": numbers("545 371 980 47 1943"),
    "Leonie Marchgrave, General Counsel": numbers("430 258 520 36 1244"),
}
MATURITY = numbers("25.0 30.0 95.0 60.0 200.0 0.0")
LEASE_DUE = numbers("16.4 14.1 11.7 9.2 7.0 16.8")
IMPUTED = Decimal("10.6")
# Goodwill by segment: Metering, Controls, Field Services.
GOODWILL = {
    "Balance at September 30, 2022": numbers("148.2 103.1 61.3"),
    "Acquisition of Oskerby": numbers("0.0 0.0 29.8"),
    "Impairment": numbers("0.0 -21.5 0.0"),
    "Currency translation, fiscal 2023": numbers("-0.6 -0.6 -0.2"),
    "Balance at September 30, 2023": numbers("147.6 81.0 90.9"),
    "Acquisition of Varrenlake": numbers("17.9 0.0 0.0"),
    "Currency translation, fiscal 2024": numbers("0.4 0.3 0.1"),
    "Balance at September 30, 2024": numbers("165.9 81.3 91.0"),
}
ACQUIRED = {  # Varrenlake in fiscal 2024, Oskerby in fiscal 2023
    "Property, plant and equipment": numbers("3.1 5.2"),
    "Customer relationships and technology": numbers("13.6 27.1"),
    "Net working capital": numbers("1.4 2.4"),
    "Goodwill": numbers("17.9 29.8"),
}
# Property, plant and equipment: fiscal 2024 and 2023.
PPE_ROLL = {
    "Net book value at start of year": numbers("241.6 218.9"),
    "Additions": numbers("47.2 52.8"),
    "Acquired with businesses": numbers("3.1 5.2"),
    "Depreciation": numbers("-34.6 -32.9"),
    "Disposals": numbers("-2.6 -1.2"),
    "Currency translation": numbers("0.4 -1.2"),
}


def column(rows: dict[str, Figure], index: int) -> Decimal:
    """Add up one column of a table."""
    return sum((values[index] for values in rows.values()), Decimal(0))


def check() -> None:
    """Stop the build if any total, ratio or roll-forward does not agree."""
    assert F["rev"] == numbers("1137.4 1080.2 989.2") and F["net"] == numbers("81.1 59.7 77.9")
    assert F["assets"] == F["liab_eq"] == numbers("1370.6 1318.1 1213.8")
    assert add("seg_met seg_con seg_fs seg_corp") == F["op"]
    assert add("geo_us geo_ca geo_eu geo_ap geo_la") == F["rev"]
    assert add("cash_open cash_chg") == F["cash"] and F["cash_open"][:2] == F["cash"][1:]
    assert add("tr_stat tr_state tr_foreign tr_impair tr_rnd tr_utb tr_other") == F["tax"]
    assert add("hr_na hr_eu hr_ap hr_la") == F["hc"]
    assert add("wa_open wa_add wa_used") == F["wa_close"] and F["wa_open"][:2] == F["wa_close"][1:]
    assert add("rs_open restruct rs_paid rs_noncash") == F["rs_close"] and F["rs_open"][:2] == F["rs_close"][1:]
    assert sum(MATURITY) == F["debt"][0] and MATURITY[0] == F["debt_c"][0]
    assert sum(LEASE_DUE) - IMPUTED == F["lease"][0]
    flows = {"apic": "sbc", "retained": "net_att div", "aoci": "oci", "treasury": "buyback", "nci": "nci_inc nci_div"}
    for year in (0, 1):
        assert F["debt"][year] == F["debt"][year + 1] + F["borrow"][year] + F["repay"][year]
        assert all(F[key][year] == F[key][year + 1] + add(flow)[year] for key, flow in flows.items())
        assert column(PPE_ROLL, year) == F["ppe"][year] and column(ACQUIRED, year) == -F["acq"][year]
    goodwill = list(GOODWILL.values())
    assert [sum(goodwill[row]) for row in (7, 4, 0)] == list(F["goodwill"])
    for part in range(3):
        assert sum(row[part] for row in goodwill[:4]) == goodwill[4][part]
        assert sum(row[part] for row in goodwill[4:7]) == goodwill[7][part]
    assert all(before + change == after for before, change, after in RESTATED.values())
    assert all(sum(pay[:4]) == pay[4] for pay in PAY.values())
    for values, key in zip(QUARTERS.values(), ("rev", "op", "net_att"), strict=True):
        assert sum(values) == F[key][0]
    keys = ("rev", "cost", "op", "tax", "net", "net_att", "eps_dil", "defrev", "dta", "contract", "retained")
    for (label, values), key in zip(RESTATED.items(), keys, strict=True):
        assert values[2] == F[key][1], label
    for key, paid in (("dps", "div"), ("eps_basic", "net_att")):
        assert all(abs(abs(F[paid][y]) / F["sh_basic"][y] - F[key][y]) <= Decimal("0.005") for y in range(3))


@dataclass(frozen=True)
class Sheet:
    """One numeric table: rows of a label, its values and style marks ($ dollar sign, t total, s subheading, % x)."""

    title: str
    heads: tuple[str, ...]
    rows: list[Row]


def lines(text: str) -> list[Row]:
    """Read table rows written as 'label | key | marks', where a minus sign before the key turns the sign."""
    found: list[Row] = []
    for line in text.strip().splitlines():
        label, key, marks = [*line.split("|"), "", ""][:3]
        name = key.strip()
        values = () if not name else minus(name[1:]) if name[0] == "-" else F[name]
        found.append((label.strip(), values, marks.strip() if name else "s"))
    return found


def plain(rows: dict[str, Figure], first: str = "$", extra: list[Row] | None = None) -> list[Row]:
    """Turn a mapping of labels to values into table rows, the first with a dollar sign."""
    found: list[Row] = [(label, row, first if i == 0 else "") for i, (label, row) in enumerate(rows.items())]
    return found + (extra or [])


def equity_rows() -> list[Row]:
    """The statement of changes in equity, made from the same figures as the balance sheet."""
    parts = ("apic", "retained", "aoci", "treasury", "nci")
    moves = (
        ("Net income", ("", "net_att", "", "", "nci_inc")),
        ("Other comprehensive income (loss)", ("", "", "oci", "", "")),
        ("Stock-based compensation", ("sbc", "", "", "", "")),
        ("Dividends", ("", "div", "", "", "nci_div")),
        ("Repurchase of shares", ("", "", "", "buyback", "")),
    )
    rows: list[Row] = []
    for year in (2, 1, 0):
        if year < 2:
            for label, keys in moves:
                values = tuple(F[key][year] if key else Decimal("0.0") for key in keys)
                rows.append((label, (*values, sum(values, Decimal(0))), ""))
        balance = tuple(F[key][year] for key in parts)
        rows.append((f"Balance at September 30, {YEARS[year]}", (*balance, F["equity"][year]), "$t"))
    return rows


DUE = ("Fiscal 2025", "Fiscal 2026", "Fiscal 2027", "Fiscal 2028", "Fiscal 2029", "Thereafter")
SHEETS = {
    "equity": Sheet(
        "Consolidated statement of changes in equity, in millions",
        (
            "Common stock and paid-in capital",
            "Retained earnings",
            "Accum. other compr. loss",
            "Treasury stock",
            "Non-controlling interests",
            "Total equity",
        ),
        equity_rows(),
    ),
    "restated": Sheet(
        "Effect of the restatement on fiscal 2023, in millions except per-share amounts",
        ("As previously reported", "Correction", "As restated"),
        plain(RESTATED),
    ),
    "quarters": Sheet(
        "Fiscal 2024 by quarter, in millions (unaudited)",
        ("Q1 (Dec. 31)", "Q2 (Mar. 31)", "Q3 (Jun. 30)", "Q4 (Sep. 30)", "Year"),
        [(label, (*row, sum(row, Decimal(0))), "$") for label, row in QUARTERS.items()],
    ),
    "pay": Sheet(
        "Pay of the executive officers for fiscal 2024, in thousands",
        ("Salary", "Cash bonus", "Stock awards", "Other", "Total"),
        plain(PAY, extra=[("Total", tuple(column(PAY, i) for i in range(5)), "$t")]),
    ),
    "goodwill": Sheet(
        "Changes in goodwill by segment, in millions",
        ("Metering", "Controls", "Field Services", "Total"),
        [(x, (*row, sum(row, Decimal(0))), "$t" if x[0] == "B" else "") for x, row in GOODWILL.items()],
    ),
    "acquired": Sheet(
        "Assets acquired, at fair value, in millions",
        ("Varrenlake (fiscal 2024)", "Oskerby (fiscal 2023)"),
        plain(ACQUIRED, extra=[("Consideration paid, net of cash acquired", (-F["acq"][0], -F["acq"][1]), "$t")]),
    ),
    "ppe": Sheet(
        "Changes in property, plant and equipment, in millions",
        ("2024", "2023"),
        plain(PPE_ROLL, extra=[("Net book value at end of year", F["ppe"][:2], "$t")]),
    ),
    "maturity": Sheet(
        "Maturities of debt principal at September 30, 2024, in millions",
        ("Amount",),
        plain(
            {label: (value,) for label, value in zip(DUE, MATURITY, strict=True)},
            extra=[("Total principal", (sum(MATURITY, Decimal(0)),), "$t")],
        ),
    ),
    "leasedue": Sheet(
        "Maturities of lease liabilities at September 30, 2024, in millions",
        ("Amount",),
        plain(
            {label: (value,) for label, value in zip(DUE, LEASE_DUE, strict=True)},
            extra=[
                ("Total undiscounted payments", (sum(LEASE_DUE, Decimal(0)),), "t"),
                ("Less: imputed interest", (-IMPUTED,), ""),
                ("Lease liabilities, current and non-current", (F["lease"][0],), "$t"),
            ],
        ),
    ),
}
