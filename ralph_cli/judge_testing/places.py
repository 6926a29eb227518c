"""Names of countries and regions that a claim can be moved to, or said of all."""

COUNTRIES = (
    "United States", "United Kingdom", "Canada", "Mexico", "Brazil", "Argentina", "Chile", "Germany", "France", "Italy",
    "Spain", "Portugal", "Ireland", "Switzerland", "Austria", "Belgium", "Netherlands", "Denmark", "Sweden", "Norway",
    "Finland", "Poland", "Russia", "Turkey", "Israel", "India", "China", "Japan", "South Korea", "Taiwan", "Singapore",
    "Malaysia", "Thailand", "Vietnam", "Indonesia", "Philippines", "Australia", "New Zealand", "South Africa", "Egypt",
    "Ukraine", "Greece", "Hungary", "Colombia", "Peru", "Pakistan", "Kenya", "Nigeria", "Saudi Arabia", "Luxembourg",
    "Venezuela",
)  # fmt: skip
"""Countries; each is as good as another in a sentence."""

WITH_ARTICLE = frozenset({"United States", "United Kingdom", "Netherlands", "Philippines"})
"""Those that stand behind "the"."""

REGIONS = (
    "North America", "Latin America", "South America", "Europe", "Western Europe", "Eastern Europe", "Asia",
    "Asia Pacific", "Asia-Pacific", "Africa", "Middle East", "EMEA",
)  # fmt: skip
"""Parts of the world that hold several countries."""

STATES = (
    "Alabama", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware", "Florida", "Idaho",
    "Illinois", "Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maryland", "Massachusetts", "Michigan",
    "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska", "Nevada", "New Jersey", "New York", "North Carolina",
    "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "South Carolina", "Tennessee", "Texas", "Utah", "Virginia",
    "Washington", "Wisconsin",
)  # fmt: skip
"""States of the United States, without those that are also something else in most texts."""
