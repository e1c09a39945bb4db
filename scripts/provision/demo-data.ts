// The rows of the embedded database. There is no user_999: examples need a user who does not exist.
const tenant_id = 'demo';
const last_updated = '2026-11-01T08:00:00Z';

export const users = [
  { tenant_id, id: 'user_001', tier: 'pro' },
  { tenant_id, id: 'user_other', tier: 'pro' },
  { tenant_id, id: 'free_u', tier: 'free' },
  { tenant_id, id: 'pro_u', tier: 'pro' },
  { tenant_id, id: 'vip_u', tier: 'vip' },
];

/** `acct_gone` is unknown to Stripe, `acct_standard` has no Express Dashboard, `acct_due` is not done with onboarding. */
export const merchants = [
  merchant('m_onboarded', { stripe_account_id: 'acct_ok', status_summary: { onboarding: 'complete' }, display_name: 'Corner Bakery' }),
  merchant('m_new', { status_summary: { onboarding: 'not_started' }, display_name: 'Second Shop' }),
  merchant('m_due', { stripe_account_id: 'acct_due', status_summary: { onboarding: 'incomplete' }, display_name: 'Night Market' }),
  merchant('m_gone', { stripe_account_id: 'acct_gone', display_name: 'Old Shop' }),
  merchant('m_standard', { stripe_account_id: 'acct_standard', display_name: 'Wholesale' }),
  merchant('m_other', { stripe_account_id: 'acct_other', display_name: 'Other Bakery', user_id: 'user_other' }),
];

export const merchantSessions = [
  { tenant_id, id: 'sess_ok', merchant_id: 'm_onboarded', user_id: 'user_001' },
  { tenant_id, id: 'sess_other', merchant_id: 'm_other', user_id: 'user_other' },
];

export const returnOrigins = [{ tenant_id, origin: 'https://app.example.com' }];

/** Has personal data, which no tool may show. */
function merchant(id: string, own: Readonly<Record<string, unknown>>) {
  return {
    tenant_id,
    id,
    user_id: 'user_001',
    country: 'US',
    business_type: 'company',
    legal_name: `Legal Name of ${id}`,
    email: `${id}@personal.example`,
    phone: '+1 555 0100',
    bank_last4: '6789',
    version: 1,
    updated_at: last_updated,
    ...own,
  };
}

const everyone = { tenant_id, health_goals: ['general_fitness'], medical_conditions: [], dietary_restrictions: [], last_updated };

export const profiles = [
  {
    ...everyone,
    user_id: 'user_001',
    age: 30,
    gender: 'male',
    height_cm: 175,
    weight_kg: 70,
    activity_level: 'moderate',
    health_goals: ['weight_loss', 'general_fitness'],
    medical_conditions: ['hypertension'],
    dietary_restrictions: ['vegetarian'],
  },
  { ...everyone, user_id: 'user_other', age: 41, gender: 'other', height_cm: 168, weight_kg: 64.5, activity_level: 'light' },
  { ...everyone, user_id: 'free_u', age: 24, gender: 'female', height_cm: 162, weight_kg: 55, activity_level: 'sedentary' },
  { ...everyone, user_id: 'pro_u', age: 35, gender: 'male', height_cm: 182, weight_kg: 84, activity_level: 'active' },
  { ...everyone, user_id: 'vip_u', age: 52, gender: 'female', height_cm: 170, weight_kg: 61, activity_level: 'very_active' },
];
